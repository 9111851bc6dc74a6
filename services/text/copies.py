"""Copies of one text: likely ones by MinHash signatures (Broder, "On the resemblance and containment of documents", 1997), then by what they tell.

Pages made from one template share most of their words and differ in their numbers and names; a syndicated copy differs in its
header, its footer and its line breaks. So what only one text holds is compared with what only the other holds: where two
sentences say the same of other numbers, names or with another negation, the texts are no copies.
"""

import hashlib
import re
import struct
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, cached_property, lru_cache
from operator import eq

import numpy as np

from services.text.held_numbers import missing_quantities
from services.text.names import NOT_NAMES, missing_names
from services.text.numbers import quantities
from services.text.polarity import negated
from services.text.tokens import has_cjk, tokens

SHINGLE = 3
HASHES = 64
COPY = 0.6
"""Share of equal minima from which two texts may be copies. Copies with another header and footer measure 0.7 and more,
different articles on one subject 0.1 and less; pages of one template lie anywhere between."""
CONTAINED = 0.7
"""Share of the shorter text that the longer one seems to hold, from which it may be a release with more around it."""
MIN_CONTAINED = 60
"""Runs of words of such a text: a shorter one is a remark that many make."""
MIN_ALIKE = 0.08
"""Share of equal minima below which chance has too large a part in that estimate."""
_DIGITS = 8
"""Hexadecimal digits of one number of a signature."""
_MASK = (1 << 32) - 1
_COEFFICIENTS = [
    struct.unpack(">QQ", hashlib.blake2b(f"leadline-{place}".encode(), digest_size=16).digest())
    for place in range(HASHES)
]


def fingerprint(text: str) -> str:
    """Return the MinHash signature of a text, of one longer than is compared of its beginning; empty for a short text.

    64 minima of 32 bits, and how many runs of words they are of: 520 hexadecimal digits. Those of versions before 0.2 lack the last.
    """
    words = tokens(text[:MAX_COMPARED], keep_stop_words=True)
    shingles = {" ".join(words[place : place + SHINGLE]) for place in range(len(words) - SHINGLE + 1)}
    if not shingles:
        return ""
    hashed = np.array(
        [
            int.from_bytes(hashlib.blake2b(shingle.encode(), digest_size=4).digest(), "big")
            for shingle in sorted(shingles)
        ],
        dtype=np.uint64,
    )
    minima = []
    for a, b in _COEFFICIENTS:
        a32, b32 = np.uint64((a & _MASK) | 1), np.uint64(b & _MASK)
        minima.append(int((((hashed * a32 + b32) >> np.uint64(16)) & np.uint64(_MASK)).min()))
    return "".join(f"{number:08x}" for number in [*minima, min(len(shingles), _MASK)])


def similarity(signature: str, other: str) -> float:
    """Estimate the share of shingles that two texts have in common, from their signatures; 0 to 1."""
    if not signature or not other:
        return 0.0
    equal: int = sum(map(eq, _minima(signature), _minima(other)))
    return equal / HASHES


@lru_cache(maxsize=1_024)
def _minima(signature: str) -> tuple[str, ...]:
    return tuple(signature[place : place + _DIGITS] for place in range(0, HASHES * _DIGITS, _DIGITS))


def may_be_copy(signature: str, other: str) -> bool:
    """Tell whether two signatures are alike enough for their texts to be copies of one; the texts themselves decide."""
    return similarity(signature, other) >= COPY


def may_overlap(signature: str, other: str) -> bool:
    """Tell whether two texts may be copies of one, or one may hold the other, as an article holds the release that it is made of.

    The share of the shorter text that both have in common is estimated from their likeness and from how long they are.
    """
    alike, sizes = similarity(signature, other), sorted((_size(signature), _size(other)))
    if alike >= COPY:
        return True
    if sizes[0] < MIN_CONTAINED or alike < MIN_ALIKE:
        return False
    return alike / (1 + alike) * sum(sizes) >= CONTAINED * sizes[0]


def _size(signature: str) -> int:
    """Return how many runs of words a signature is of; 0 where it does not say."""
    size = signature[HASHES * _DIGITS :]
    return int(size, 16) if size else 0


OWN_SHARE = 0.2
"""Share of its letters that only one text may hold where the other, too, has as much of its own: else they are two articles."""
TWIN, TWIN_CHINESE = 0.4, 0.3
"""Share of the words (of pairs of Chinese characters) of the shorter of two sentences from which both say something of one
thing. Doubt makes two sources of one, which is the milder mistake."""
MAX_PAIRS = 40_000
"""Pairs of sentences that are compared; texts that differ in more are no copies."""
MAX_COMPARED = 2_000_000
"""Characters of a text that is compared; a longer one is a copy of what is the same, and its signature, which would take seconds, is of so many."""
MAX_SENTENCE = 600
"""Characters of a sentence that are compared; longer ones, such as rows without a stop, are cut into pieces."""
_STOP = re.compile(r"(?<=[.!?][\s\"'”’)\]])|(?<=[。！？；])")
_STRUCTURE = re.compile(r"[#|>*+\-–•]|\d{1,3}[.)、]")
_WORD = re.compile(r"[^\W_]+")
_CHINESE = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")


@cache
def _about_itself() -> re.Pattern[str]:
    """How lines begin that tell of the page and not of its subject: where it appeared, when, and who wrote it."""
    return re.compile(
        r"[\s#*_>|【\[(-]{0,12}+(?:(?:(?:first |re)?published|(?:last )?updated|posted|(?:re)?printed|syndicated)\b|(?-i:By [A-Z])|©|"
        r"copyright\b|all rights reserved|转载|转自|原标题|本文为|版权|"
        r"(?:source|author|editor|reporter|photo|date|发布日期|发布时间|发布|更新时间|更新|日期|时间|来源|出处|作者|记者|编辑|责任编辑|责编|"
        r"通讯员|原文)\s*[:：])",
        re.IGNORECASE,
    )


@dataclass
class _Sentence:
    text: str
    times: int = 1
    """How often the text holds it."""

    @cached_property
    def letters(self) -> int:
        return self.times * sum(char.isalnum() for char in self.text)

    @cached_property
    def terms(self) -> frozenset[str]:
        """Words and pairs of Chinese characters, without numbers."""
        plain = "".join(" " if char.isdigit() else char for char in self.text)
        chinese = [plain[place : place + 2] for place in range(len(plain) - 1)]
        words = (word.casefold() for word in _WORD.findall(plain) if not _CHINESE.search(word))
        return frozenset([*words, *(pair for pair in chinese if len(_CHINESE.findall(pair)) == 2)])

    @cached_property
    def numbers(self) -> frozenset[object]:
        return frozenset(
            (quantity.kind, quantity.value, quantity.date, quantity.years) for quantity in quantities(self.text)
        )

    @cached_property
    def names(self) -> frozenset[str]:
        """Capitalised words, which any name in a script with capitals is made of."""
        words = (word for word in _WORD.findall(self.text) if word[0].isupper() and not word[0].isdigit())
        return frozenset(word.casefold() for word in words if word.casefold() not in NOT_NAMES)

    def conflicts(self, other: "_Sentence") -> bool:
        """Tell whether two sentences on one thing have other numbers or names, or one denies what the other does not."""
        if negated(self.text) != negated(other.text):
            return True
        sides = ((self.numbers, other.numbers), (self.names, other.names))
        return any(mine - theirs and theirs - mine for mine, theirs in sides) or self._other_words(other)

    def is_twin(self, other: "_Sentence") -> bool:
        """Tell whether two sentences share enough words to be about one thing."""
        smaller = min(len(self.terms), len(other.terms))
        min_share = TWIN_CHINESE if has_cjk(self.text) and has_cjk(other.text) else TWIN
        return bool(smaller) and len(self.terms & other.terms) >= max(1, min_share * smaller)

    def _other_words(self, other: "_Sentence") -> bool:
        """Tell whether a run of Chinese characters, where names have no capitals, stands in the place of another one."""
        if not (has_cjk(self.text) and has_cjk(other.text)):
            return False
        matcher = SequenceMatcher(None, self.text, other.text, autojunk=False)
        replaced = (
            (self.text[first:last], other.text[start:end])
            for tag, first, last, start, end in matcher.get_opcodes()
            if tag == "replace"
        )
        return any(len(_CHINESE.findall(mine)) > 1 and len(_CHINESE.findall(theirs)) > 1 for mine, theirs in replaced)


def is_copy(text: str, other: str) -> bool:
    """Tell whether two texts, which share most of their words, agree wherever they are about one thing."""
    if max(len(text), len(other)) > MAX_COMPARED:
        return text == other
    mine, theirs = _sentences(text), _sentences(other)
    if not mine.keys() & theirs.keys():
        return False
    own = [sentence for key, sentence in mine.items() if key not in theirs]
    foreign = [sentence for key, sentence in theirs.items() if key not in mine]
    if not own or not foreign:
        return True
    if len(own) * len(foreign) > MAX_PAIRS:
        return False
    twins = [(left, right) for left in own for right in foreign if left.is_twin(right)]
    if any(left.conflicts(right) for left, right in twins):
        return False
    paired = {id(side) for pair in twins for side in pair}
    alone = [[sentence for sentence in side if id(sentence) not in paired] for side in (own, foreign)]
    shares = [_letters(rest) / _letters(all_.values()) for rest, all_ in zip(alone, (mine, theirs), strict=True)]
    return min(shares) <= OWN_SHARE


def adds_nothing(passage: str, other: str) -> bool:
    """Tell whether a passage has no number and no name that another lacks, apart from its statements about itself."""
    subject = "\n".join(sentence.text for sentence in _sentences(passage).values())
    return not missing_quantities(subject, [other]) and not missing_names(subject, other)


def _letters(sentences: Iterable[_Sentence]) -> int:
    return sum(sentence.letters for sentence in sentences) or 1


@lru_cache(maxsize=64)
def _sentences(text: str) -> dict[str, _Sentence]:
    """Return the sentences of a text by their letters, without sentences about the text itself; line breaks are ignored."""
    by_key: dict[str, _Sentence] = {}
    for paragraph in _paragraphs(text):
        if _about_itself().match(paragraph):
            continue
        for sentence in _STOP.split(paragraph):
            for start in range(0, len(sentence), MAX_SENTENCE):
                piece = sentence[start : start + MAX_SENTENCE].strip()
                if (key := _key(piece)) and not _about_itself().match(piece):
                    if key in by_key:
                        by_key[key].times += 1
                    else:
                        by_key[key] = _Sentence(piece)
    return by_key


def _paragraphs(text: str) -> Iterator[str]:
    """Yield paragraphs on one line each; headings, rows and items of lists stand alone."""
    lines: list[str] = []
    for line in [*text.split("\n"), ""]:
        bare = line.strip()
        if lines and (not bare or _STRUCTURE.match(bare)):
            yield " ".join(lines)
            lines = []
        if bare:
            lines.append(bare)
        if _STRUCTURE.match(bare) and bare.startswith(("#", "|")):
            yield " ".join(lines)
            lines = []


def _key(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in plain if char.isalnum())
