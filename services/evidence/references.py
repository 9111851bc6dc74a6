"""Evidence by reference: passages are shown with numbered sentences, and a model names what it takes as `P3:2-4`.

Quotes are the stored text of those sentences, so that no model can garble them, and an answer costs a fraction of copied text.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from schemas.evidence import Excerpt, Passage
from schemas.researcher import Findings, NumberedPassage, ResearcherPrompt, findings_schema
from services.models import ask
from services.run.errors import LimitReached, ModelError
from services.run.log import log
from services.text.code_blocks import is_fence
from services.text.heads import above
from services.text.length import words_in
from services.text.units import units

MOST_QUOTED = 900
"""Characters of one quote; a longer stretch becomes several."""
MOST_PARTS = 3
"""Quotes that one reference becomes; what stands behind them can be named by itself."""
_NAMED = 8
"""Wrong references that the model is shown."""
_REFERENCE = re.compile(
    r"(?:(\w{1,12}?)\s{0,3}[:：.#]\s{0,3}|(?<=[\s,;，；、]))(\d{1,4})(?!\d)(?:\s{0,3}[-‐-―−~～]\s{0,3}(?:\1[:：])?(\d{1,9}))?"
)
"""One stretch: `P1:2`, `P1:2-4`; after such a one also `4` or `6-7` of the same passage."""
LEAST_WORDS = 3
"""Words of a sentence's beginning, in Chinese characters, by which it is recognised."""
_WHOLE = re.compile(r"\W{0,3}(\w{1,12})\W{0,3}")


def numbered(passages: Iterable[Passage]) -> list[NumberedPassage]:
    """Number the quotable units of passages: sentences, rows of tables, blocks of code."""
    shown: list[NumberedPassage] = []
    for passage in passages:
        sentences = units(passage.text, in_code=is_fence(passage.above))
        code = [place for place, unit in enumerate(sentences) if unit.code]
        spans = [(unit.start, unit.end) for unit in sentences]
        shown.append(NumberedPassage(**passage.model_dump(), spans=spans, code=code))
    return shown


class Taken(NamedTuple):
    """What an answer takes from passages."""

    excerpts: list[Excerpt]
    """With exact offsets into the stored texts, the most relevant first, no sentence twice."""
    unknown: list[str]
    """References that name no sentence that there is."""


def taken(answer: Findings, passages: Sequence[NumberedPassage], step_id: str = "", first: int = 1) -> Taken:
    """Return the excerpts that an answer names."""
    by_id = {passage.id.casefold(): passage for passage in passages}
    nodes = answer.nodes
    excerpts: list[Excerpt] = []
    unknown: list[str] = []
    # Sentences by where they begin in a stored text, as a page that is read whole holds passages of a search
    held: set[tuple[str, int]] = set()
    for reference, relevance in answer.references:
        located = _places(reference, by_id)
        if not located:
            unknown.append(reference)
        for passage, places in located:
            begins = {place: (passage.content_hash, passage.start + passage.spans[place][0]) for place in places}
            fresh = [place for place, begin in begins.items() if begin not in held]
            for stretch in _stretches(fresh, passage.spans):
                held.update(begins[place] for place in stretch)
                start, end = passage.spans[stretch[0]][0], passage.spans[stretch[-1]][1]
                excerpts.append(
                    Excerpt(
                        id=f"E{step_id}-{first + len(excerpts)}",
                        content_hash=passage.content_hash,
                        quote=passage.text[start:end],
                        start=passage.start + start,
                        end=passage.start + end,
                        relevance=relevance,
                        **above(passage.text, start, head=passage.above, section=passage.section),
                        nodes=nodes.get(passage.id.casefold(), []),
                    )
                )
    return Taken(excerpts, unknown)


def _places(reference: str, by_id: dict[str, NumberedPassage]) -> list[tuple[NumberedPassage, list[int]]]:
    """Return the sentences that a reference names, by their places from 0; one reference may name several stretches."""
    named: list[tuple[NumberedPassage, list[int]]] = []
    passage: NumberedPassage | None = None
    for match in _REFERENCE.finditer(reference):
        if match[1]:
            passage = by_id.get(match[1].casefold())
        if passage is None:
            continue
        start, end = sorted((int(match[2]), int(match[3] or match[2])))
        places = [place - 1 for place in range(max(1, start), min(end, len(passage.spans)) + 1)]
        if places:
            named.append((passage, places))
    whole = _WHOLE.fullmatch(reference)
    if not named and whole and (passage := by_id.get(whole[1].casefold())) is not None:
        named.append((passage, list(range(len(passage.spans)))))
    return named or _by_beginning(reference, by_id.values())


def _by_beginning(reference: str, passages: Iterable[NumberedPassage]) -> list[tuple[NumberedPassage, list[int]]]:
    """Return the sentence that begins as a reference reads, where there is exactly one: weak models write the words instead of the number."""
    words = " ".join(reference.split()).casefold()
    if words_in(words) < LEAST_WORDS:
        return []
    candidates = [
        (passage, [place])
        for passage in passages
        for place, sentence in enumerate(passage.sentences)
        if sentence[: 2 * len(words)].casefold().startswith(words)
    ]
    return candidates if len(candidates) == 1 else []


def _stretches(places: Sequence[int], spans: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Join sentences that follow each other into quotes; where one would grow too long, the next begins."""
    stretches: list[list[int]] = []
    for place in places:
        follows = bool(stretches) and place == stretches[-1][-1] + 1
        if follows and spans[place][1] - spans[stretches[-1][0]][0] <= MOST_QUOTED:
            stretches[-1].append(place)
        else:
            stretches.append([place])
    return stretches[:MOST_PARTS]


async def ask_for_references(prompt: ResearcherPrompt) -> Findings:
    """Ask the researcher's model; where half of its references or more name nothing, tell it once which.

    The second answer is used as it is, unless it names no sentence and the first one does.

    Raises:
        LimitReached: the budget leaves no room for the first call.
        ModelError: the endpoint failed, or no answer fits the schema.
    """
    first: Findings | None = None

    def check(answer: Findings) -> Findings:
        """Refuse an answer once, if at least half of its references name no sentence that there is."""
        nonlocal first
        selection = taken(answer, prompt.passages)
        if first is not None:
            return answer if selection.excerpts or not taken(first, prompt.passages).excerpts else first
        if selection.unknown and 2 * len(selection.unknown) >= len(answer.references):
            first = answer
            raise ValueError(
                f"{len(selection.unknown)} references name no sentence that there is: {'; '.join(selection.unknown[:_NAMED])}. Name sentences "
                "by the passage's id and their numbers in it, as P1:2 or P1:2-4, and leave out what no passage says"
            )
        return answer

    try:
        answer = await ask("researcher", prompt, findings_schema(prompt), check)
    except (LimitReached, ModelError):
        if first is None or not taken(first, prompt.passages).excerpts:
            raise
        answer = first
    if unknown := taken(answer, prompt.passages).unknown:
        log("references_dropped", count=len(unknown), of=len(answer.references))
    return answer
