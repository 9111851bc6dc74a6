"""Languages of plans and reports, as BCP 47 tags."""

from typing import Annotated

from pydantic import BeforeValidator

LANGUAGES = frozenset(
    "af ar bg bn ca cs cy da de el en es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko lo lt lv "
    "mk ml mn mr ms my nb ne nl no pa pl pt ro ru si sk sl sq sr sv sw ta te th tl tr uk ur uz vi yue zh zu".split()
)
"""ISO 639 codes of the languages that a run may be asked for."""


def is_language(tag: str) -> bool:
    """Tell whether a BCP 47 tag is of a language that a run may be asked for."""
    first, *others = tag.split("-")
    return first.lower() in LANGUAGES and all(part.isalnum() and 2 <= len(part) <= 4 for part in others)


def _locale(value: object) -> object:
    """Accept `auto` or a BCP 47 tag of a language and, optionally, script and region."""
    if not isinstance(value, str):
        return value
    tag = value.strip().replace("_", "-") or "auto"
    if tag != "auto" and not is_language(tag):
        msg = "use auto, or a language tag such as en-US or zh-CN"
        raise ValueError(msg)
    return tag


Locale = Annotated[str, BeforeValidator(_locale)]
