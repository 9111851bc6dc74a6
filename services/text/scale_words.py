"""Scale words of the languages besides English and Chinese that reports are written in, as Unicode's CLDR has them: `Millionen`, `Mio.`, `억`."""

import re
from functools import cache
from pathlib import Path

from services.text.normal_form import normal_form
from services.text.numerals import CHINESE_SCALES, SCALE_SIGNS, SCALES

_LANGUAGES = Path(__file__).parents[1] / "run" / "report_texts"
"""Folder with a file for each of them."""
_SHORTEST = 3
"""Letters of a word that needs no sign of a currency behind it: `12 mi` are miles, `5 M` is a concentration."""
_LIKE_ONE = re.compile(
    r"[ -]?(?:[mb]i[lo](?!es?\b)|m[lr][nd]|bln|tri|taus|[kmb][di]?\s?[$€£¥]|[\u0400-\u1fff\uac00-\ud7a3]|[兆京][\d円\u30a0-\u30ff])",
    re.IGNORECASE,
)
"""How they begin, which English words behind a number seldom do: only then CLDR is read, which takes 0.1 to 0.3 s."""


def scale_at(text: str, place: int) -> tuple[int, int]:
    """Return what the scale word behind a number multiplies by, and its end; 1 and the place itself if there is none."""
    if _LIKE_ONE.match(text, place):
        pattern, values = _words()
        if match := pattern.match(text, place):
            return values[match[1].lower()], match.end()
    return 1, place


@cache
def _words() -> tuple[re.Pattern[str], dict[str, int]]:
    from babel import Locale

    values: dict[str, int] = {}
    for language in sorted(_LANGUAGES.glob("*.json")):
        for plurals in Locale(language.stem).compact_decimal_formats.values():
            for power, form in (item for forms in plurals.values() for item in forms.items()):
                zeros, word = _parted(form.pattern)
                value = int(power) // 10 ** max(0, len(zeros) - 1)
                english = SCALES.get(SCALE_SIGNS.get(word, word.removesuffix("s")), value)
                if zeros and word and word not in CHINESE_SCALES and english == value:
                    values |= {word: value, word.rstrip("."): value}
    longest_first = sorted(values, key=len, reverse=True)
    return re.compile(rf"[ -]?({'|'.join(map(_pattern, longest_first))})", re.IGNORECASE), values


def _parted(form: str) -> tuple[str, str]:
    """Return the zeros and the word of a form: of `00 Mio'.'`."""
    written = normal_form("NFKC", form).replace("'", "").lower()
    word = written.lstrip("0")
    return written[: len(written) - len(word)], word.strip()


def _pattern(word: str) -> str:
    if re.match(r"[\u4e00-\u9fff]", word):  # 兆瓦 is a unit
        return rf"{word}(?=[\d円\u30a0-\u30ff])"
    if re.match(r"[\uac00-\ud7a3]", word):  # the noun follows without a blank
        return word
    return re.escape(word) + (r"(?![^\W\d_])" if len(word.rsplit(maxsplit=1)[-1]) >= _SHORTEST else r"(?=\s?[$€£¥])")
