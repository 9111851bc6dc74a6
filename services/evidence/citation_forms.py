"""The forms in which models write citations, read as what they mean: `(E1-1)`, `excerpt E1-1`, `见摘录 e1–1` are `[E1-1]`.

A citation may be marked as one of premises, from which a sentence is inferred: `[inferred: E1-1, E2-3]`, `[推断：E1-1、E2-3]`,
`[⇒ E1-1, E2-3]`, `[E1-1][E2-3 ⇒]`, `(inference) [E1-1]` are `[⇒][E1-1][E2-3]`.

Fenced code is left alone. Numbers (`[1]`) have no meaning by themselves: `with_numbers` replaces them by what a caller found
them to mean.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

INFERENCE = "⇒"
"""Stands in brackets before the premises of a sentence that is marked as inference."""

_ID = r"(?<![A-Za-z0-9_-])[BETbet]\d{1,6}+[-‑–—]\d{1,6}+(?![A-Za-z0-9_])"
_LEAD = (
    r"(?:(?:see also|see|cf\.?|sources?|quotes?|evidence|excerpts?|ids?|ref(?:erence)?s?|"
    r"参见|详见|见|摘录|引文|证据|来源|出处|依据)[\s:：=#]{0,3}+)"
)
_JOINT = r"[ \t,，、;；/&+–—-]{0,4}+(?:(?:and|to|和|及|与|至)\s{0,3}+)?(?:(?:excerpts?|摘录)\s{0,3}+)?"
_IDS = rf"{_ID}(?>(?:{_JOINT}{_ID}){{0,40}})"
_CITED = rf"\[{_ID}\]"
_RUN = rf"{_CITED}(?>(?:{_JOINT}{_CITED}){{0,40}})"

_MARK = f"[{INFERENCE}]"
_MARKED = re.compile(rf"\[{INFERENCE}\](?>(?:{_CITED}){{1,40}})")
_PLAIN = re.compile(_CITED)
_ONE = re.compile(_ID)
_TICKED = re.compile(rf"`({_ID})`")
_BRACKETED = re.compile(rf"[\[【［(（]\s{{0,4}}+\^?(?>{_LEAD}{{0,3}})({_IDS})\s{{0,4}}+[\]】］)）]", re.IGNORECASE)
_WRAPPED = re.compile(rf"[\[【［(（]\s{{0,4}}+(?>{_LEAD}{{0,3}})({_RUN})\s{{0,4}}+[\]】］)）]", re.IGNORECASE)
_LINKED = re.compile(rf"({_CITED})\([^()\s]{{0,300}}+\)")
_LABEL = re.compile(
    rf"^([ \t]{{0,8}}+(?:(?:[-*+]|\d{{1,3}}[.)])[ \t]{{1,4}}+)?)(?:\*\*)?(?>{_LEAD}{{0,2}})({_RUN}|{_IDS})(?:\*\*)?[ \t]{{0,3}}+[:：]"
    rf"(?:\*\*)?[ \t]{{0,4}}+(\S[^\n]*+)$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that names its excerpt first: `- **E1-1**: The ship sank.`"""
_NAMED = rf"(?>(?:(?:see also|see|cf\.?|excerpts?|参见|详见|见|摘录)[\s:：]{{0,3}}+){{1,3}})({_RUN}|{_IDS})"
_OWN_SENTENCE = re.compile(rf"(?<=[.!?。！？])[ \t]{{0,4}}+{_NAMED}[.。]", re.IGNORECASE)
_APPENDED = re.compile(
    rf"(?<!\bthe)(?<!\bthis)(?:[,，;；—–][ \t]{{0,4}}+|[ \t]{{1,4}}+|(?<=[\u3400-\u9fff])){_NAMED}(?=[ \t]{{0,4}}+(?:[.!?。！？；;,，)）|]|$))",
    re.IGNORECASE | re.MULTILINE,
)
_BARE = re.compile(rf"`[^`\n]{{1,300}}+`|\[{_ID}\]|{_ID}")
_BETWEEN = re.compile(rf"(?<=[\d{INFERENCE}]\])[ \t]{{0,4}}+(?:[,，、;；][ \t]{{0,4}}+)?(?={_CITED}|\[{INFERENCE}\])")
_WIDE = "\u3000"
"""From here on characters need no blank before a citation."""
_FENCE = re.compile(r"[ \t]{0,12}(`{3,}|~{3,})")

_SIGN = r"(?:[⇒⟹→∴≈]|[=-]{1,2}>)"
_INFERRED_WORD = r"(?:inferred|inference|infers?|deduced|deduction|concluded|推断|推论|推知|推导)"
_INFERRED = (
    rf"(?:(?:{_SIGN}\s{{0,2}}+)?{_INFERRED_WORD}(?:\s{{0,2}}+(?:from|by|自|于))?|{_SIGN})"
    r"(?:\s{0,2}+[:：=-])?"
)
_PREMISES = re.compile(
    rf"[\[【［(（]\s{{0,3}}+\^?{_INFERRED}\s{{0,3}}+(?>{_LEAD}?)({_RUN}|{_IDS})\s{{0,3}}+{_SIGN}?\s{{0,3}}+[\]】］)）]",
    re.IGNORECASE,
)
_PREMISES_FIRST = re.compile(
    rf"[\[【［(（]\s{{0,3}}+\^?({_RUN}|{_IDS})[\s,，;；]{{0,3}}+{_INFERRED}\s{{0,3}}+[\]】］)）]", re.IGNORECASE
)
_INFERRED_NUMBERS = re.compile(
    rf"[\[【［]\s{{0,3}}+{_INFERRED}\s{{0,3}}+(\d{{1,3}}+(?>(?:[\s,，、;；–-]{{1,3}}+\d{{1,3}}+){{0,15}}))\s{{0,3}}+[\]】］](?![(:：])",
    re.IGNORECASE,
)
_FLAG = re.compile(rf"[\[【［]\s{{0,3}}+{_INFERRED}\s{{0,3}}+[\]】］](?![(:：])", re.IGNORECASE)
_ROUND = rf"[(（]\s{{0,3}}+{_INFERRED}\s{{0,3}}+[)）]"
_FLAG_ROUND = re.compile(
    rf"(?<=\d\])(?:[.。!！]?)(?:‡(?=\s|$)|(?:[ \t]{{0,3}}+){_ROUND})|{_ROUND}(?=[ \t]{{0,3}}+{_CITED})", re.IGNORECASE
)
"""In round brackets, where `(inference)` may be a word of the text, only beside a citation; so is a report's own sign."""

_NUMBERS = r"\d{1,3}+(?>(?:[\s,，、;；–-]{1,3}+\d{1,3}+){0,15})"
_NUMBERED = re.compile(
    rf"[\[【［]\s{{0,2}}+\^?(?>{_LEAD}?)({_NUMBERS})\s{{0,2}}+[\]】］](?![(:：])|"
    rf"[(（]\s{{0,2}}+(?:excerpts?|摘录)[\s:：#]{{0,3}}+({_NUMBERS})\s{{0,2}}+[)）]",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    rf"(?:^\#{{1,6}}[ \t][^\n]{{0,80}}+\n{{1,3}}+)?^[ \t]{{0,8}}+(?:[-*][ \t]{{1,4}}+)?[\[【]\^?(\d{{1,3}}+)[\]】][ \t]{{0,3}}+[:：.=]?[ \t]{{0,4}}+({_CITED})[^\n]*+$",
    re.MULTILINE,
)
"""A line of a list that says what a number means: `[1]: [E2-1]`; with the list's heading."""


def plain_citations(markdown: str, known: Collection[str] = ()) -> str:
    """Write every citation as `[E2-1]`, one after the other where there are several.

    Args:
        markdown: as a model wrote it.
        known: ids that may be cited. Ids in small letters and ids that stand bare in a sentence are citations only if they
            are among these; a bracket with any other id stays a citation, of something that does not exist.
    """
    return "".join(text if is_code else _plain(text, known) for is_code, text in _parts(markdown))


def inferences_in_words(markdown: str) -> str:
    """Write the marks of inferences as prompts ask for them: `[⇒][E1-1][E2-3]` is `[inferred: E1-1, E2-3]`."""

    def mark(match: re.Match[str]) -> str:
        return f"[inferred: {', '.join(key[1:-1] for key in _PLAIN.findall(match.group()))}]"

    return _MARKED.sub(mark, markdown)


def with_numbers(markdown: str, meaning: Mapping[int, Sequence[str]]) -> str:
    """Replace numbers in brackets by the ids that they mean; a bracket with a number that means nothing stays."""

    def ids(match: re.Match[str]) -> str:
        numbers = _numbers(match)
        if not all(number in meaning for number in numbers):
            return match.group()
        return "".join(f"[{key}]" for key in dict.fromkeys(key for number in numbers for key in meaning[number]))

    return "".join(text if is_code else _NUMBERED.sub(ids, text) for is_code, text in _parts(markdown))


def numbers_cited(markdown: str) -> set[int]:
    """Return the numbers that stand in brackets as citations do."""
    prose = "".join(text for is_code, text in _parts(markdown) if not is_code)
    return {number for match in _NUMBERED.finditer(prose) for number in _numbers(match)}


def with_definitions_read(markdown: str) -> str:
    """Read the numbers that a list in the text itself defines as excerpts, and take the list out.

    Args:
        markdown: with plain citations.
    """
    meaning: dict[int, list[str]] = {}
    for match in _DEFINITION.finditer(markdown):
        meaning.setdefault(int(match.group(1)), []).append(match.group(2)[1:-1])
    return with_numbers(_DEFINITION.sub("", markdown), meaning) if meaning else markdown


def cites_ids(markdown: str) -> bool:
    """Tell whether a text with plain citations cites anything by its id."""
    return _PLAIN.search(markdown) is not None


def _plain(text: str, known: Collection[str]) -> str:
    def run(ids: str) -> str:
        return "".join(f"[{key}]" for key in map(_canonical, _ONE.findall(ids)))

    def bracketed(match: re.Match[str]) -> str:
        ids = _ONE.findall(match.group(1))
        small = any(key[0].islower() and _canonical(key) not in known for key in ids)
        return match.group() if small else run(match.group(1))

    def premises(match: re.Match[str]) -> str:
        return f"{_MARK}{run(match.group(1))}"

    def named(match: re.Match[str]) -> str:
        ids = match.group(1)
        blank = "" if match.string[match.start() - 1 : match.start()] >= _WIDE else " "
        return f"{blank}{run(ids)}" if _all_known(ids, known) else match.group()

    def label(match: re.Match[str]) -> str:
        start, ids, rest = match.groups()
        return f"{start}{rest.rstrip()} {run(ids)}" if _all_known(ids, known) else match.group()

    def bare(match: re.Match[str]) -> str:
        return f"[{key}]" if (key := _canonical(match.group())) in known else match.group()

    text = _TICKED.sub(r"\1", text) if known else text
    text = _PREMISES.sub(premises, _PREMISES_FIRST.sub(premises, text))
    text = _FLAG.sub(_MARK, _INFERRED_NUMBERS.sub(rf"{_MARK}[\1]", text))
    text = _LINKED.sub(r"\1", _WRAPPED.sub(lambda match: run(match.group(1)), _BRACKETED.sub(bracketed, text)))
    if known:
        text = _APPENDED.sub(named, _OWN_SENTENCE.sub(named, _LABEL.sub(label, text)))
        text = _BARE.sub(bare, text)
    return _BETWEEN.sub("", _FLAG_ROUND.sub(_flagged, text))


def _flagged(match: re.Match[str]) -> str:
    """Return the mark in square brackets, with the full stop that stands before it."""
    return f"{_MARK}{match.group()[0]}" if match.group()[0] in ".。!！" else _MARK


def _all_known(ids: str, known: Collection[str]) -> bool:
    return all(_canonical(key) in known for key in _ONE.findall(ids))


def _canonical(key: str) -> str:
    return re.sub("[‑–—]", "-", key).upper()


def _numbers(match: re.Match[str]) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", match.group(1) or match.group(2))]


def _parts(markdown: str) -> Iterator[tuple[bool, str]]:
    """Cut a text at its fenced blocks: whether a part is code, and the part."""
    lines: list[str] = []
    fence = ""
    for line in markdown.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and not fence:
            yield False, "".join(lines)
            lines, fence = [line], mark.group(1)
        elif mark and fence and line.strip().startswith(fence):
            yield True, "".join([*lines, line])
            lines, fence = [], ""
        else:
            lines.append(line)
    yield bool(fence), "".join(lines)
