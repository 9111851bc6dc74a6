"""Quotes that a model gives: kept where they stand in the passages, and asked for once more where too few of them do."""

from collections.abc import Sequence

from schemas.evidence import Excerpt, Passage
from schemas.researcher import Findings, Quotation, ResearcherPrompt
from services.models import ask
from services.run.errors import LimitReached, ModelError
from services.text.quote_location import locate

_NAMED = 5
"""Rejected quotes that the model is shown."""
_SHOWN = 160
"""Characters of each of them."""


async def ask_quoting(prompt: ResearcherPrompt, passages: Sequence[Passage]) -> Findings:
    """Ask the researcher's model; where its quotes do not carry its finding, tell it once which do not stand anywhere.

    Quotes carry a finding while fewer than half of them are rejected. What comes back on the second time is taken as it
    is, unless it has no good quote and the first answer has one, or there is no room for a second call.

    Raises:
        LimitReached: the budget leaves no room for the first call.
        ModelError: the endpoint failed, or no answer came to fit.
    """
    check = QuoteCheck(passages)
    try:
        return await ask("researcher", prompt, Findings, check)
    except (LimitReached, ModelError):
        if check.first is None or not verified_excerpts(check.first, passages):
            raise
        return check.first


class QuoteCheck:
    """For `ask`: refuses an answer once, if at least half of its quotes do not stand in the passages."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.first: Findings | None = None
        """The answer that was refused."""
        self._passages = passages

    def __call__(self, answer: Findings) -> Findings:
        """Return the answer to go on with.

        Raises:
            ValueError: names the quotes that do not stand anywhere; raised at most once.
        """
        if self.first is not None:
            better = verified_excerpts(answer, self._passages) or not verified_excerpts(self.first, self._passages)
            return answer if better else self.first
        rejected = [excerpt for excerpt in answer.excerpts if _place_of(excerpt, self._passages) is None]
        if rejected and 2 * len(rejected) >= len(answer.excerpts):
            self.first = answer
            raise ValueError(_rejection(rejected))
        return answer


def verified_excerpts(answer: Findings, passages: Sequence[Passage], step_id: str = "") -> list[Excerpt]:
    """Find each quote in its passage and keep the stored text; a quote that is not there is left out.

    Args:
        answer: whose quotes count.
        passages: what the model was shown.
        step_id: begins the ids of the excerpts.

    Returns:
        Excerpts with exact offsets into the source's stored text, without repetitions.
    """
    excerpts: dict[tuple[str, int, int], Excerpt] = {}
    for quotation in answer.excerpts:
        place = _place_of(quotation, passages)
        if place is None:
            continue
        passage, left, right = place
        key = (passage.content_hash, passage.start + left, passage.start + right)
        excerpts.setdefault(
            key,
            Excerpt(
                id=f"E{step_id}-{len(excerpts) + 1}",
                content_hash=passage.content_hash,
                quote=passage.text[left:right],
                start=key[1],
                end=key[2],
                relevance=quotation.relevance,
            ),
        )
    return list(excerpts.values())


def _place_of(quotation: Quotation, passages: Sequence[Passage]) -> tuple[Passage, int, int] | None:
    """Find a quote in the passage that it names, else in another: models confuse ids, and the text tells the source."""
    for passage in sorted(passages, key=lambda passage: passage.id != quotation.passage_id):
        if span := locate(quotation.quote, passage.text):
            return passage, *span
    return None


def _rejection(rejected: Sequence[Quotation]) -> str:
    shown = "; ".join(
        f"“{quotation.quote[:_SHOWN]}{'…' if len(quotation.quote) > _SHOWN else ''}” ({quotation.passage_id})"
        for quotation in rejected[:_NAMED]
    )
    return (
        f"{len(rejected)} of the quotes stand in no passage: {shown}. Copy whole sentences from one "
        "passage character by character, and leave out what no passage says"
    )
