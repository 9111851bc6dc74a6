"""Cuts prose at punctuation and conjunctions: into clauses, segments, and depths that tell how much lies between two places."""

import re
from itertools import pairwise

from services.evidence.period_binding import SENTENCE

_BREAK = re.compile(
    r"(?P<strong>[.!?](?=\s|$)|[;；。！？\n])|"
    r"(?P<weak>、|—(?!\d)|[,:](?=[\s\u4e00-\u9fff《“])|(?<=[\u4e00-\u9fff])[,:]|\s(?=(?:but|while|whereas|although|though|yet|which|who|whose|because|since|unlike|than)\b)|"
    r"\sand\s(?!\d)|(?<=\s[12]\d{3})\sand\s(?=\d)(?![12]\d{3}\b)|\s(?=(?:from|to)\s[$€£¥]?\d)|(?=[从由至到为比]\s?\d))",
    re.IGNORECASE,
)
_SEGMENT = re.compile(
    r"[.!?](?=\s|$)|[;。\n]| \| |[,:—](?=[\s\u4e00-\u9fff《“])|(?<=[\u4e00-\u9fff])[,:!?]|"
    r"\s(?=(?:but|while|whereas|although|though|yet|which|who|whose|because|since|unlike|and)\b)",
    re.IGNORECASE,
)


def breaks_of(text: str) -> tuple[list[int], list[int]]:
    """Return the places of the breaks of a text, and the depth before the first and after each; a strong break adds `SENTENCE`, a weak one 1."""
    places: list[int] = []
    depths = [0]
    for found in _BREAK.finditer(text):
        places.append(found.start())
        depths.append(depths[-1] + (SENTENCE if found.lastgroup == "strong" else 1))
    return places, depths


def clauses_between(text: str, breaks: list[int], depths: list[int]) -> list[tuple[int, str]]:
    """Return the stretches between strong breaks, with their beginnings."""
    strong = [
        place for place, (before, after) in zip(breaks, pairwise(depths), strict=True) if after - before >= SENTENCE
    ]
    ends = [0, *strong, len(text)]
    return [(first, text[first:last].strip(" ;；。.\n")) for first, last in pairwise(ends) if text[first:last].strip()]


def segments_of(text: str) -> tuple[str, ...]:
    """Return the clauses of a text, cut at commas and conjunctions, too."""
    return tuple(part for part in (segment.strip(" ,，;；。.:：") for segment in _SEGMENT.split(text)) if part)
