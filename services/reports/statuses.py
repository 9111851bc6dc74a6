"""The status of a report's statements: how many have each, and the signs behind those that are not proved or only inferred.

Signs are written into Markdown, read back, and taken out of a text. Earlier versions wrote words in brackets, in the report's language; they
are read like signs.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from schemas.evidence import Claim, Status

SURE: frozenset[Status] = frozenset({"quoted", "supported"})
"""Statuses that are shown in green with a tick, in a report that answers its question."""
MAX_INFERRED = 3
"""Divisor of a report's statements for the maximum of inferred ones that no model judged."""
SIGNS: dict[Status, str] = {"unverified": "†", "inferred": "‡"}
"""Footnote signs: every font has them, and beside a number nobody takes them for its unit."""
_EARLIER: dict[str, Status] = {
    "(⚠ unverified)": "unverified",
    "(≈ inferred)": "inferred",
    "（⚠ 未核实）": "unverified",
    "（≈ 推断）": "inferred",
}
_STATUSES = {**_EARLIER, **{sign: status for status, sign in SIGNS.items()}}
_SIGN = "|".join([*map(re.escape, _EARLIER), rf"(?<!\s)[{''.join(SIGNS.values())}](?=[\s.!?。！？…]|\[\[|$)"])
_ONE = re.compile(_SIGN)
_WITH_BLANK = re.compile(rf"[ ]?(?:{_SIGN})")


def status_of(claim: Claim) -> Status:
    """Return a claim's status; in bundles without statuses, derived from its verification."""
    return claim.status or ("supported" if claim.verified else "unverified")


def sure_claims(claims: Iterable[Claim]) -> int:
    """Return how many claims are quoted or supported."""
    return sum(status_of(claim) in SURE for claim in claims)


def too_many_inferred(claims: Sequence[Claim]) -> bool:
    """Tell whether more than a third of a report are conclusions that no model judged: a writer may call anything inferred."""
    unjudged = sum(claim.status == "inferred" and claim.judgement is None for claim in claims)
    return unjudged * MAX_INFERRED > len(claims)


def signs_in(text: str) -> Iterator[tuple[int, int, Status]]:
    """Yield start, end and status of each sign in a text; a sign stands close behind something, and before a blank."""
    for sign in _ONE.finditer(text):
        yield sign.start(), sign.end(), _STATUSES[sign.group()]


def without_signs(text: str) -> str:
    """Return a text without the signs behind its statements."""
    return _WITH_BLANK.sub("", text)
