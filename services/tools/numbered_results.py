"""Renders tool results as passages with ids and numbered sentences, which an answer refers to."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from schemas.evidence import Source
from schemas.researcher import NumberedPassage
from services.tools.output import SHOWN, ResponseFormat

_NOTHING = "(nothing)"


class ShownPassages(NamedTuple):
    """The part of the passages that the model sees."""

    text: str
    whole: list[str]
    """Ids of the passages that are shown completely."""


def show_passages(
    passages: Sequence[NumberedPassage],
    sources: Mapping[str, Source],
    response_format: ResponseFormat,
    seen: Collection[str] = (),
    first: int = 1,
) -> ShownPassages:
    """Render passages with one line for each sentence, and a note on how to read the rest.

    Every line begins with a number or the sign of a heading, so none can pass for the head of a passage or for another number.

    Args:
        passages: passages of a result, in order.
        sources: their sources by content hash.
        response_format: amount to show; at least one sentence is shown.
        seen: ids of passages that the model has seen, which are only named.
        first: number of the sentence to begin each with.
    """
    lines: list[str] = []
    whole: list[str] = []
    room = SHOWN[response_format]
    for place, passage in enumerate(passages):
        head = _head(passage, sources.get(passage.content_hash))
        if passage.id in seen:
            lines.append(f'{head}: seen above, or read_result(id="{passage.id}")')
            continue
        sentences = passage.lines[first - 1 :]
        taken = _fitting([head, *(sentences or [_NOTHING])], room)
        if lines and taken < 2:
            unseen = [later.id for later in passages[place:] if later.id not in seen]
            lines.append(f'[no room for {", ".join(unseen)}: read_result(id="{unseen[0]}")]')
            break
        taken = max(taken, 2)
        lines += [head, *(sentences or [_NOTHING])][:taken]
        room -= sum(len(line) + 1 for line in lines[-taken:])
        if taken > len(sentences):
            whole += [passage.id] if first == 1 else []
            continue
        left, following = len(sentences) - taken + 1, first + taken - 1
        lines.append(f'[{left} more sentences of {passage.id}: read_result(id="{passage.id}", start={following})]')
        room = 0
    return ShownPassages("\n".join(lines), whole)


def _head(passage: NumberedPassage, source: Source | None) -> str:
    """Return id, title, address, date and what else is on its source's card, on one line."""
    about = f"({passage.about})" if passage.about else ""
    parts = f"[{passage.id}] {passage.title} {source.url if source else ''} {passage.published} {about}"
    return " ".join(parts.split())


def _fitting(lines: Sequence[str], room: int) -> int:
    """Return the number of lines that fit into so many characters."""
    for place, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            return place
    return len(lines)
