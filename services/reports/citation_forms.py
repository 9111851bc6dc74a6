"""The forms in which models write citations, read as what they mean: `(E1-1)`, `[see excerpts e1–1 and E2-3]`, `【E1-1、E2-3】`.

A citation may be marked as one of premises, from which a sentence is inferred: `[inferred: E1-1, E2-3]`, `[推断：E1-1、E2-3]`,
`[⇒ E1-1, E2-3]`, `[E1-1, E2-3 ⇒]` are `[⇒][E1-1][E2-3]`. Code is left alone. Numbers (`[1]`) cite nothing.
"""

import re
from collections.abc import Collection

INFERENCE = "⇒"
"""Stands in brackets before the premises of a sentence that is marked as inference."""

_ID = r"(?<![A-Za-z0-9_-])[BETbet]\d{1,6}+[-‑–—]\d{1,6}+(?![A-Za-z0-9_])"
_ONE = re.compile(_ID)
_CITED = rf"\[(?:{_ID}|{INFERENCE})\]"
_WRITTEN = re.compile(
    r"(?P<code>^[ \t]{0,12}(?P<fence>`{3,}+|~{3,}+)(?s:.*?)(?:^[ \t]*(?P=fence)[^\n]*+$|\Z))|"
    rf"`(?P<ticked>{_ID})`|(?P<span>`[^`\n]{{1,300}}+`)|"
    rf"(?P<open>[\[【［(（])(?P<inside>(?>(?:[^\[\]()（）【】［］\n]|\[{_ID}\]){{1,300}}))[\]】］)）](?P<link>\([^()\s]{{0,300}}+\))?|"
    rf"(?P<bare>{_ID})",
    re.MULTILINE,
)
_SIGN = re.compile(
    r"[⇒⟹→∴≈]|[=-]{1,2}>|\b(?:inferred|inference|deduced|deduction|concluded)\b|推断|推论|推知|推导", re.IGNORECASE
)
_AROUND = re.compile(
    r"[\s\[\],，、;；:：/&+^=#.–—-]+|\b(?:see|also|cf|sources?|quotes?|evidence|excerpts?|ids?|ref(?:erence)?s?|and|to|from|by)\b|"
    r"参见|详见|见|摘录|引文|证据|来源|出处|依据|和|及|与|至|自|于",
    re.IGNORECASE,
)
"""What may stand beside ids in the brackets of a citation."""
_BETWEEN = re.compile(rf"({_CITED})[ \t]{{0,4}}+(?:[,，、;；][ \t]{{0,4}}+)?(?={_CITED})")
_MARKED = re.compile(
    rf"\[{INFERENCE}\](?>(?:\[{_ID}\]){{1,40}})|(?>(?:\[{_ID}\]){{1,40}})(?P<stop>[.!?。！？]?)\[{INFERENCE}\]"
)


def plain_citations(markdown: str, known: Collection[str] = ()) -> str:
    """Write every citation of a model as `[E2-1]`, one after the other where there are several.

    Ids in small letters and ids that stand bare in a sentence are citations only if they are known; a bracket with any other id stays a
    citation, of something that does not exist.
    """

    def plain(match: re.Match[str]) -> str:
        if bare := match["ticked"] or match["bare"]:
            key = _canonical(bare)
            return f"[{key}]" if key in known else match.group()
        ids = _ONE.findall(match["inside"] or "")
        around = _ONE.sub("", match["inside"] or "")
        inferred = _SIGN.search(around) is not None
        flag = inferred and match["open"] not in "(（" and not match["link"]
        unknown = any(key[0].islower() and _canonical(key) not in known for key in ids)
        if unknown or not (ids or flag):
            return match.group()
        if _AROUND.sub("", _SIGN.sub("", around)):
            return f"{match['open']}{plain_citations(match.group()[1:], known)}"
        return "".join(f"[{key}]" for key in [*([INFERENCE] if inferred else []), *map(_canonical, ids)])

    return _BETWEEN.sub(r"\1", _WRITTEN.sub(plain, markdown))


def inferences_in_words(markdown: str) -> str:
    """Write the marks of inferences as prompts ask for them: `[⇒][E1-1][E2-3]`, and `[E1-1][E2-3].[⇒]` of a checked text, as `[inferred: E1-1, E2-3]`."""

    def mark(match: re.Match[str]) -> str:
        return f"[inferred: {', '.join(_ONE.findall(match.group()))}]{match['stop'] or ''}"

    return _MARKED.sub(mark, markdown)


def _canonical(key: str) -> str:
    return re.sub("[‑–—]", "-", key).upper()
