"""The signs behind statements that are not proved or only inferred: written into Markdown, read back, and taken out of a text.

Earlier versions wrote words in brackets, in the report's language; they are read like signs.
"""

import re
from collections.abc import Iterator

from schemas.evidence import Status

SIGNS: dict[Status, str] = {"unverified": "†", "inferred": "‡"}
"""Footnote signs: every font has them, and beside a number nobody takes them for its unit."""
_EARLIER: dict[str, Status] = {
    "(⚠ unverified)": "unverified",
    "(≈ inferred)": "inferred",
    "（⚠ 未核实）": "unverified",
    "（≈ 推断）": "inferred",
}
_STATUSES = {**_EARLIER, **{sign: status for status, sign in SIGNS.items()}}
_SIGN = "|".join([*map(re.escape, _EARLIER), rf"(?<!\s)[{''.join(SIGNS.values())}](?=\s|\[\[|$)"])
_ONE = re.compile(_SIGN)
_WITH_BLANK = re.compile(rf"[ ]?(?:{_SIGN})")


def signs_in(text: str) -> Iterator[tuple[int, int, Status]]:
    """Yield start, end and status of each sign in a text; a sign stands close behind something, and before a blank."""
    for sign in _ONE.finditer(text):
        yield sign.start(), sign.end(), _STATUSES[sign.group()]


def without_signs(text: str) -> str:
    """Return a text without the signs behind its statements."""
    return _WITH_BLANK.sub("", text)
