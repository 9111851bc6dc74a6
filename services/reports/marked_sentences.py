"""Why statements are marked, in words: in a few lines of the report's limits, and one by one in other formats."""

import re
from collections.abc import Iterable, Iterator, Sequence

from schemas.document import Formula, Inlines, Text
from schemas.evidence import Claim, Status
from services.reports.inlines import is_formula
from services.reports.labels import Labels
from services.reports.statuses import SIGNS, status_of

MAX_LINES = 5
"""Maximum lines of a report's limits on its marked statements; `evidence.json` has all reasons."""
MAX_NAMED, MAX_BEGINNING = 3, 60
"""Maximum statements that a line names, and characters of each."""
MAX_SENTENCE = 120
"""Maximum characters of a statement that is named alone."""
_FORMULA = re.compile(r"(\$\$?+(?!\s)[^$\n]{1,300}+(?<!\s)\$\$?+(?!\d))")


def marked_sentences(claims: Iterable[Claim], labels: Labels) -> list[Inlines]:
    """Return lines on the marked statements: one a reason, that of most statements first, then one for all inferences."""
    unverified: dict[str, list[Claim]] = {}
    inferred: list[Claim] = []
    for claim in claims:
        if status_of(claim) == "inferred":
            inferred.append(claim)
        elif status_of(claim) == "unverified":
            unverified.setdefault(claim.reason, []).append(claim)
    groups = sorted(unverified.values(), key=len, reverse=True)
    room = MAX_LINES - bool(inferred)
    named = groups if len(groups) <= room else groups[: room - 1]
    items = [_item(group, labels) for group in named]
    if others := sum(map(len, groups[len(named) :])):
        more = labels.more_reasons.format(
            statements=labels.count(others), state=labels.words["unverified"], sign=SIGNS["unverified"]
        )
        items.append(more)
    return [_with_formulas(item) for item in [*items, *([_item(inferred, labels)] if inferred else [])]]


def _with_formulas(text: str) -> Inlines:
    return tuple(Formula(part.strip("$")) if _stays(part) else Text(part) for part in _FORMULA.split(text) if part)


def why_marked(sentence: str, status: Status, reason: str, labels: Labels) -> str:
    """Return in words why a sentence is marked; without a reason, the meaning of the mark."""
    shown = "".join(_shortened([" ".join(sentence.split())], MAX_SENTENCE))
    state = labels.words[status].capitalize()
    return str(labels.marked_sentence.format(state=state, sentence=shown, reason=reason or labels.meanings[status]))


def _item(group: Sequence[Claim], labels: Labels) -> str:
    """Return the number of statements, how the first of them begin, and the first one's reason."""
    status = status_of(group[0])
    room = MAX_SENTENCE if len(group) == 1 else MAX_BEGINNING
    named = labels.enumeration.join(
        labels.quoted.format(words=_beginning(claim.text, room)) for claim in group[:MAX_NAMED]
    )
    if len(group) > MAX_NAMED:
        named = labels.more_marked.format(sentences=named, count=len(group) - MAX_NAMED)
    return str(
        labels.marked_group.format(
            statements=labels.count(len(group)),
            state=labels.words[status],
            sign=SIGNS[status],
            sentences=named,
            reason=group[0].reason or labels.meanings[status],
        )
    )


def _beginning(statement: str, room: int) -> str:
    """Return the beginning of a statement, without its full stop; formulas are never cut."""
    return "".join(_shortened(_FORMULA.split(" ".join(statement.split()).rstrip(".。")), room))


def _shortened(parts: Iterable[str], room: int) -> Iterator[str]:
    """Yield parts of a sentence within the room, in characters: formulas whole, cut texts with an ellipsis."""
    for part in parts:
        if len(part) > room:
            yield f"{'' if _stays(part) else part[:room].rstrip()}…"
            return
        yield part
        room -= len(part)


def _stays(part: str) -> bool:
    """Distinguish a formula, which stays as written, from money between dollar signs."""
    return _FORMULA.fullmatch(part) is not None and is_formula(part.strip("$"))
