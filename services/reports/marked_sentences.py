"""Lists a report's marked sentences with reasons, for readers without a mouse."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from schemas.evidence import Claim, Status
from services.reports.inlines import is_formula
from services.reports.labels import Labels
from services.reports.statuses import status_of
from services.text.markdown_escape import escape_markdown, plain_line

MAX_LISTED = 20
"""Maximum listed sentences."""
MAX_SENTENCE = 120
"""Maximum characters shown of each."""
GROUPED_FROM = 4
"""Minimum sentences with one reason that are listed together."""
BEGINNINGS, MAX_BEGINNING = 3, 60
"""Sentences shown of such a group, and characters of each."""
_FORMULA = re.compile(r"(\$\$?+(?!\s)[^$\n]{1,300}+(?<!\s)\$\$?+(?!\d))")
_OTHER_MARKUP = frozenset("<[`")


def marked_sentences(claims: Iterable[Claim], labels: Labels) -> list[str]:
    """Return Markdown list items with the reasons of marked sentences: the first `MAX_LISTED`, and the number of others.

    Many sentences with the same general reason form one item.
    """
    marked = [claim for claim in claims if status_of(claim) in labels.marks]
    groups = _groups(marked, labels)
    items: list[str] = []
    alone = 0
    for claim in marked:
        group = groups.get((status_of(claim), claim.reason))
        if group is None:
            alone += 1
            items += [_item(claim, labels)] if alone <= MAX_LISTED else []
        elif group[0] is claim:
            items.append(_group_item(group, labels))
    if alone > MAX_LISTED:
        items.append(labels.more_marked.format(count=alone - MAX_LISTED))
    return [f"- {item}" for item in items]


def why_marked(sentence: str, status: Status, reason: str, labels: Labels) -> str:
    """Return in words why a sentence is marked; without a reason, the meaning of the mark."""
    return _said("".join(_shortened([" ".join(sentence.split())])), status, reason, labels)


def _item(claim: Claim, labels: Labels) -> str:
    """Return the same in Markdown; formulas are kept, and never cut."""
    return _said(_sentence(claim, MAX_SENTENCE), status_of(claim), escape_markdown(claim.reason), labels)


def _sentence(claim: Claim, room: int) -> str:
    parts = _shortened(_FORMULA.split(" ".join(claim.text.split())), room)
    runs = ((stays, "".join(run)) for stays, run in groupby(parts, _stays))
    return "".join(run if stays else plain_line(run) for stays, run in runs)


def _groups(marked: Iterable[Claim], labels: Labels) -> dict[tuple[Status, str], list[Claim]]:
    """Return groups of many sentences marked for the same general reason."""
    general = {"", *labels.reasons.values(), *labels.judged.values(), *labels.judged_inference.values()}
    groups: dict[tuple[Status, str], list[Claim]] = {}
    for claim in marked:
        if claim.reason in general:
            groups.setdefault((status_of(claim), claim.reason), []).append(claim)
    return {key: group for key, group in groups.items() if len(group) >= GROUPED_FROM}


def _group_item(group: Sequence[Claim], labels: Labels) -> str:
    """Return in Markdown the reason and number of grouped sentences, and how the first of them begin."""
    first = group[0]
    shown = [labels.quoted.format(words=_sentence(claim, MAX_BEGINNING)) for claim in group[:BEGINNINGS]]
    return labels.marked_group.format(
        state=labels.words[status_of(first)].capitalize(),
        count=len(group),
        reason=escape_markdown(first.reason) or labels.meanings[status_of(first)],
        sentences=labels.enumeration.join(shown),
        more=labels.more_marked.format(count=len(group) - len(shown)),
    )


def _said(sentence: str, status: Status, reason: str, labels: Labels) -> str:
    state = labels.words[status].capitalize()
    return labels.marked_sentence.format(state=state, sentence=sentence, reason=reason or labels.meanings[status])


def _shortened(parts: Iterable[str], room: int = MAX_SENTENCE) -> Iterator[str]:
    """Yield parts of a sentence within the room, in characters: formulas whole, cut texts with an ellipsis."""
    for part in parts:
        if len(part) > room:
            yield f"{'' if _stays(part) else part[:room].rstrip()}…"
            return
        yield part
        room -= len(part)


def _stays(part: str) -> bool:
    """Distinguish a formula, which stays as written, from money between dollar signs and from hidden markup."""
    return _FORMULA.fullmatch(part) is not None and is_formula(part.strip("$")) and _OTHER_MARKUP.isdisjoint(part)
