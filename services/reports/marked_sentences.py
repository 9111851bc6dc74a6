"""Why sentences of a report are marked, for readers who have no mouse to hold over the mark."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from schemas.evidence import Claim, Status
from services.reports.inlines import is_formula
from services.reports.labels import Labels
from services.reports.statuses import status_of
from services.text.markdown_escape import escape_markdown, plain_line

MAX_LISTED = 20
"""Sentences that are listed."""
MAX_SENTENCE = 120
"""Characters of each that are shown."""
_FORMULA = re.compile(r"(\$\$?+(?!\s)[^$\n]{1,300}+(?<!\s)\$\$?+(?!\d))")
_OTHER_MARKUP = frozenset("<[`")


def marked_sentences(claims: Iterable[Claim], labels: Labels) -> list[str]:
    """Return list items in Markdown that say why sentences are marked: the first `MAX_LISTED`, and how many more there are."""
    marked = [claim for claim in claims if status_of(claim) in labels.marks]
    lines = [f"- {_item(claim, labels)}" for claim in marked[:MAX_LISTED]]
    more = len(marked) - len(lines)
    return [*lines, f"- {labels.more_marked.format(count=more)}"] if more else lines


def why_marked(sentence: str, status: Status, reason: str, labels: Labels) -> str:
    """Return in words why a sentence is marked; what the mark means where there is no reason."""
    return _said("".join(_shortened([" ".join(sentence.split())])), status, reason, labels)


def _item(claim: Claim, labels: Labels) -> str:
    """Return the same in Markdown; a formula stays one, and is never cut."""
    parts = _shortened(_FORMULA.split(" ".join(claim.text.split())))
    runs = ((stays, "".join(run)) for stays, run in groupby(parts, _stays))
    sentence = "".join(run if stays else plain_line(run) for stays, run in runs)
    return _said(sentence, status_of(claim), escape_markdown(claim.reason), labels)


def _said(sentence: str, status: Status, reason: str, labels: Labels) -> str:
    state = labels.words[status].capitalize()
    return labels.marked_sentence.format(state=state, sentence=sentence, reason=reason or labels.meanings[status])


def _shortened(parts: Iterable[str]) -> Iterator[str]:
    """Yield parts of a sentence as far as there is room: a formula whole, and what is cut with dots."""
    room = MAX_SENTENCE
    for part in parts:
        if len(part) > room:
            yield f"{'' if _stays(part) else part[:room].rstrip()}…"
            return
        yield part
        room -= len(part)


def _stays(part: str) -> bool:
    """Tell a formula, which stays as it is written, from money between two dollar signs and from what hides other markup."""
    return _FORMULA.fullmatch(part) is not None and is_formula(part.strip("$")) and _OTHER_MARKUP.isdisjoint(part)
