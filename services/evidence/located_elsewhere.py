"""Whether a Chinese claim has something happen at, in or until another place or time than every clause with that verb."""

import re
from collections.abc import Sequence
from itertools import islice

from services.evidence.readings import Reading
from services.evidence.segments import MAX_SEGMENTS, Segments, Turned

_JOINED = re.compile(r"(?P<verb>[\u4e00-\u9fff]{2})(?P<preposition>[在于至到自])\s?(?P<what>[\u4e00-\u9fff]{2})")


def located_elsewhere(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether the quotes have the claim's verb with the same preposition, and its place in other segments only."""
    segments = [segment for quote in quotes for segment in quote.segments]
    for found in islice(_JOINED.finditer(claim.text), MAX_SEGMENTS):
        joined, what = found["verb"] + found["preposition"], found["what"]
        holding = [segment for segment in segments if joined in segment]
        naming = [segment for segment in segments if what in segment]
        if holding and naming and not any(what in segment for segment in holding):
            return Turned("roles", (holding[0],))
    return None
