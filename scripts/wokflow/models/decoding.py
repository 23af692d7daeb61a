"""Generates texts from texts with a language model: beam search or sampling, in batches of similar length."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from wokflow.frame.job import Progress, UserError
from wokflow.frame.language_codes import base, canonical, has_script
from wokflow.frame.languages import HAN
from wokflow.models.bounds import end_token, padding_token, positions

if TYPE_CHECKING:
    from torch import Tensor

Family = Literal["seq2seq", "causal"]

OF_NLLB = {  # of languages that mBART50 lacks
    "am": "amh_Ethi",
    "as": "asm_Beng",
    "be": "bel_Cyrl",
    "bg": "bul_Cyrl",
    "ca": "cat_Latn",
    "da": "dan_Latn",
    "el": "ell_Grek",
    "eu": "eus_Latn",
    "hu": "hun_Latn",
    "hy": "hye_Armn",
    "is": "isl_Latn",
    "kn": "kan_Knda",
    "lo": "lao_Laoo",
    "ms": "zsm_Latn",
    "nb": "nob_Latn",
    "nn": "nno_Latn",
    "no": "nob_Latn",
    "pa": "pan_Guru",
    "sk": "slk_Latn",
    "sr": "srp_Cyrl",
    "yue": "yue_Hant",
}
LANGUAGE_CODES = {  # of mBART50 and of NLLB
    "af": ("af_ZA", "afr_Latn"),
    "ar": ("ar_AR", "arb_Arab"),
    "az": ("az_AZ", "azj_Latn"),
    "bn": ("bn_IN", "ben_Beng"),
    "cs": ("cs_CZ", "ces_Latn"),
    "de": ("de_DE", "deu_Latn"),
    "en": ("en_XX", "eng_Latn"),
    "es": ("es_XX", "spa_Latn"),
    "et": ("et_EE", "est_Latn"),
    "fa": ("fa_IR", "pes_Arab"),
    "fi": ("fi_FI", "fin_Latn"),
    "fr": ("fr_XX", "fra_Latn"),
    "gl": ("gl_ES", "glg_Latn"),
    "gu": ("gu_IN", "guj_Gujr"),
    "he": ("he_IL", "heb_Hebr"),
    "hi": ("hi_IN", "hin_Deva"),
    "hr": ("hr_HR", "hrv_Latn"),
    "id": ("id_ID", "ind_Latn"),
    "it": ("it_IT", "ita_Latn"),
    "ja": ("ja_XX", "jpn_Jpan"),
    "ka": ("ka_GE", "kat_Geor"),
    "kk": ("kk_KZ", "kaz_Cyrl"),
    "km": ("km_KH", "khm_Khmr"),
    "ko": ("ko_KR", "kor_Hang"),
    "lt": ("lt_LT", "lit_Latn"),
    "lv": ("lv_LV", "lvs_Latn"),
    "mk": ("mk_MK", "mkd_Cyrl"),
    "ml": ("ml_IN", "mal_Mlym"),
    "mn": ("mn_MN", "khk_Cyrl"),
    "mr": ("mr_IN", "mar_Deva"),
    "my": ("my_MM", "mya_Mymr"),
    "ne": ("ne_NP", "npi_Deva"),
    "nl": ("nl_XX", "nld_Latn"),
    "pl": ("pl_PL", "pol_Latn"),
    "ps": ("ps_AF", "pbt_Arab"),
    "pt": ("pt_XX", "por_Latn"),
    "ro": ("ro_RO", "ron_Latn"),
    "ru": ("ru_RU", "rus_Cyrl"),
    "si": ("si_LK", "sin_Sinh"),
    "sl": ("sl_SI", "slv_Latn"),
    "sv": ("sv_SE", "swe_Latn"),
    "sw": ("sw_KE", "swh_Latn"),
    "ta": ("ta_IN", "tam_Taml"),
    "te": ("te_IN", "tel_Telu"),
    "th": ("th_TH", "tha_Thai"),
    "tl": ("tl_XX", "tgl_Latn"),
    "tr": ("tr_TR", "tur_Latn"),
    "uk": ("uk_UA", "ukr_Cyrl"),
    "ur": ("ur_PK", "urd_Arab"),
    "vi": ("vi_VN", "vie_Latn"),
    "xh": ("xh_ZA", "xho_Latn"),
    "zh": ("zh_CN", "zho_Hans"),
    **dict.fromkeys(("zh-hant", "zh-hk", "zh-mo", "zh-tw"), ("zh_CN", "zho_Hant")),
    "kk-cyrl": ("kk_KZ", "kaz_Cyrl"),
    "sr-ec": ("", "srp_Cyrl"),
    **{lang: ("", code) for lang, code in OF_NLLB.items()},
}

# Prefix of texts for opus-mt models with several target languages, such as opus-mt-en-zh.
TO_CHINESE = ">>cmn_Hans<<"

_WIDE = f"[\u3000-\u303f{HAN}\uff00-\uffef]"  # Chinese characters and punctuation
_SPACES = re.compile(rf"(?<={_WIDE}) ++|(?<! ) ++(?={_WIDE}|:)")


@dataclass(frozen=True)
class Decoding:
    """Settings of the search for the best text.

    `repetition_penalty` and `no_repeat_ngram` (tokens; 0: off) apply to generated tokens only, so that a rewriting
    may repeat its prompt. `temperature` None: no sampling, the best beam. `batch`: number of texts decoded together.
    """

    beams: int
    repetition_penalty: float
    no_repeat_ngram: int
    max_source_tokens: int
    max_tokens: int
    temperature: float | None
    batch: int


def decode(
    model: Any,
    tokenizer: Any,
    texts: Sequence[str],
    family: Family,
    decoding: Decoding,
    progress: Progress | None = None,
) -> list[str]:
    """The model's output for each text, in the order of the texts; "" for a blank text.

    For a causal model this is the continuation only. Texts that are too long are cut, and the log says how many: at
    the end for seq2seq, at the beginning for causal models, which continue the end. SentencePiece tokenizers, such as
    those of Marian, mT5 and mBART50, read a line break as a space and write none. If the tokenizer has a `tgt_lang`
    (set_languages), the output begins with its code. The other texts of a batch only affect rounding, which may
    decide a near tie.
    """
    tokens = encode(tokenizer, texts, family)
    most, _ = limits(model, family, decoding)
    if (cut := sum(len(row) > most for row in tokens)) and progress:
        progress.say(f"{cut} of {len(texts)} texts have more than {most} tokens and were cut")
    return decode_tokens(model, tokenizer, tokens, family, decoding, progress)


def encode(tokenizer: Any, texts: Sequence[str], family: Family) -> list[list[int]]:
    """Token ids of each text, uncut, with the tokenizer's special tokens; no tokens for a blank text.

    For causal models the end token is removed, as the text is to be continued.
    """
    if not texts:
        return []
    if TO_CHINESE in getattr(tokenizer, "supported_language_codes", ()):
        texts = [f"{TO_CHINESE} {text}" if text.strip() else text for text in texts]
    encoded = tokenizer(list(texts), padding=False, truncation=False, verbose=False)
    rows: list[list[int]] = encoded["input_ids"]
    last = {tokenizer.eos_token_id, tokenizer.sep_token_id} if family == "causal" else set()
    rows = [row[:-1] if row and row[-1] in last else row for row in rows]
    return [row if text.strip() else [] for text, row in zip(texts, rows, strict=True)]


def limits(model: Any, family: Family, decoding: Decoding) -> tuple[int, int]:
    """(most source tokens, most new tokens): as in `decoding`, or fewer if the model has fewer positions.

    Source and new tokens share the positions of a causal model. If there are too few, the source gets those that
    the new tokens leave, but at least half.
    """
    source, new = decoding.max_source_tokens, decoding.max_tokens
    places = positions(model.config)
    if places is None:
        return source, new
    if family == "causal":
        source = min(source, max(places - new, places // 2))
        return source, min(new, places - source)
    return min(source, places), min(new, places)


def decode_tokens(
    model: Any,
    tokenizer: Any,
    tokens: Sequence[list[int]],
    family: Family,
    decoding: Decoding,
    progress: Progress | None = None,
) -> list[str]:
    """The same as `decode`, for texts given as token ids."""
    import torch

    most, new = limits(model, family, decoding)
    rows = [cut(row, most, family, set(tokenizer.all_special_ids)) for row in tokens]
    order = sorted(
        (place for place, row in enumerate(rows) if row), key=lambda place: (-len(rows[place]), place)
    )
    result = [""] * len(rows)
    training = model.training
    model.eval()
    try:
        with torch.inference_mode():
            for start in range(0, len(order), decoding.batch):
                some = order[start : start + decoding.batch]
                texts = _generate(model, tokenizer, [rows[place] for place in some], family, decoding, new)
                for place, text in zip(some, texts, strict=True):
                    result[place] = text
                if progress:
                    done = start + len(some)
                    progress(done, f"{done} of {len(order)} texts decoded", of=len(order))
    finally:
        model.train(training)
    return result


def cut(row: list[int], most: int, family: Family, special: set[int]) -> list[int]:
    """At most `most` tokens of a row: the last ones for causal models, the first ones for others.

    A special token at the end that is cut off, such as the end token, is kept.
    """
    if len(row) <= most:
        return row
    if family == "causal":
        first = row[:1] if row[0] in special else []
        return first + row[len(row) - most + len(first) :]
    last = row[-1:] if row[-1] in special else []
    return row[: most - len(last)] + last


def set_languages(tokenizer: Any, source: str, target: str) -> None:
    """Set the source and target language of an mBART50 or NLLB tokenizer; other tokenizers stay unchanged.

    Raises UserError for a language whose code is not known, or that the model lacks.
    """
    if not hasattr(tokenizer, "tgt_lang"):
        return
    known = tokenizer.get_vocab()
    languages = [
        code if (code := canonical(lang)) in LANGUAGE_CODES or has_script(code) else base(code)
        for lang in (source, target)
    ]
    if unknown := [lang for lang in languages if lang not in LANGUAGE_CODES]:
        raise UserError(
            f"The model needs language codes, and the code of {' and '.join(unknown)} is not known: add it to "
            "LANGUAGE_CODES in scripts/wokflow/models/decoding.py, or use a model for one pair of languages."
        )
    for source_code, target_code in zip(*(LANGUAGE_CODES[lang] for lang in languages), strict=True):
        if source_code in known and target_code in known:
            tokenizer.src_lang, tokenizer.tgt_lang = source_code, target_code
            return
    raise UserError(
        f"The model's tokenizer has no codes of {source} and {target} (of mBART50 and NLLB: "
        f"{', '.join(filter(None, itertools.chain(*(LANGUAGE_CODES[lang] for lang in languages))))}): use a model "
        "that knows both languages."
    )


@dataclass(frozen=True)
class Repetition:
    """A logits processor that penalises repeated tokens and allows no sequence of `ngram` tokens twice.

    The first `skip` tokens of a row (a prompt or a start token) do not count.
    """

    skip: int
    penalty: float
    ngram: int

    def __call__(self, input_ids: "Tensor", scores: "Tensor") -> "Tensor":
        """Scores [rows, vocabulary] of the next token after `input_ids` [rows, tokens]."""
        generated = input_ids[:, self.skip :]
        if self.penalty != 1:
            known = scores.gather(1, generated)
            dearer = (known * self.penalty).where(known < 0, known / self.penalty)
            scores = scores.scatter(1, generated, dearer)
        if 0 < self.ngram <= generated.shape[1]:
            windows = generated.unfold(1, self.ngram, 1)
            recent = generated[:, generated.shape[1] - self.ngram + 1 :]
            seen = (windows[:, :, :-1] == recent[:, None]).all(-1)
            ends = windows[:, :, -1]
            forbidden = scores.gather(1, ends).masked_fill(seen, float("-inf"))
            scores = scores.scatter_reduce(1, ends, forbidden, "amin")
        return scores


def _generate(
    model: Any, tokenizer: Any, rows: list[list[int]], family: Family, decoding: Decoding, new: int
) -> list[str]:
    left = family == "causal"
    pad = padding_token(tokenizer)
    ids, mask = padded(rows, pad, left=left)
    skip = ids.shape[1] if left else 1
    target = getattr(tokenizer, "tgt_lang", None)
    drawn = decoding.temperature is not None
    options = {
        "temperature": decoding.temperature,
        "top_k": 0 if drawn else None,  # of all tokens, whatever the model's own settings say
        "top_p": 1.0 if drawn else None,
        "forced_bos_token_id": tokenizer.convert_tokens_to_ids(target) if target else None,
    }
    generated = model.generate(
        input_ids=ids.to(model.device),
        attention_mask=mask.to(model.device),
        max_new_tokens=new,
        num_beams=decoding.beams,
        do_sample=drawn,
        repetition_penalty=1.0,
        no_repeat_ngram_size=0,
        logits_processor=[Repetition(skip, decoding.repetition_penalty, decoding.no_repeat_ngram)],
        use_cache=True,
        pad_token_id=pad,
        eos_token_id=ends(model, tokenizer),
        **{name: value for name, value in options.items() if value is not None},
    )
    return [text_of(tokenizer, row) for row in generated[:, skip:].tolist()]


def padded(rows: Sequence[list[int]], pad: int, *, left: bool) -> tuple["Tensor", "Tensor"]:
    """(token ids [rows, longest], mask of the same shape: 1 for a token, 0 for padding)."""
    import torch

    width = max(map(len, rows))
    ids = torch.full((len(rows), width), pad)
    mask = torch.zeros_like(ids)
    for number, row in enumerate(rows):
        place = slice(width - len(row), width) if left else slice(len(row))
        ids[number, place] = torch.tensor(row)
        mask[number, place] = 1
    return ids, mask


def ends(model: Any, tokenizer: Any) -> Any:
    """The id of the model's end token, or a list of ids; the tokenizer's if the model's is not in its vocabulary.

    None if neither has one: then a text ends at the limit of new tokens.
    """
    own = model.generation_config.eos_token_id
    if own is None or (isinstance(own, int) and own >= model.config.vocab_size):
        return end_token(tokenizer)
    return own


def text_of(tokenizer: Any, ids: list[int]) -> str:
    """The text of token ids, without special tokens and surrounding blanks.

    The spaces that a WordPiece tokenizer (BERT, Chinese GPT-2) puts between Chinese characters are removed, too.
    """
    text: str = tokenizer.decode(ids, skip_special_tokens=True)
    backend = getattr(tokenizer, "backend_tokenizer", None)
    wordpiece = backend is not None and type(backend.model).__name__ == "WordPiece"
    return (_SPACES.sub("", text) if wordpiece else text).strip()
