from wokflow.train.scratch import train_tokenizer

TEXTS = ["Title: 蛋炒饭\nIngredients: 鸡蛋，米饭\n", "Title: Egg fried rice\nIngredients: egg, rice\n"] * 2


def test_the_small_tokenizer_gives_back_any_text() -> None:
    tokenizer = train_tokenizer(TEXTS, "seq2seq", 400, 32)
    for text in ["Xyz 🍅 饕餮  two\n\nlines\t", *TEXTS]:
        ids = tokenizer(text)["input_ids"]
        assert ids[-1] == tokenizer.eos_token_id
        assert tokenizer.decode(ids, skip_special_tokens=True) == text
    assert tokenizer("Title: 蛋炒饭").tokens()[:2] == ["Title", ":"]


def test_the_small_tokenizer_of_a_causal_model_leaves_a_text_open() -> None:
    tokenizer = train_tokenizer(TEXTS, "causal", 400, 32)
    assert tokenizer("rice").tokens() == ["ri", "ce"]
