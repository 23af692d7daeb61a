"""The languages of data such as zh-en."""


def target_lang(data: str) -> str:
    """The language that predictions are in: zh-en is to English."""
    return data.partition("-")[2]
