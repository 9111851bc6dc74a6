"""Following a finding to the lines that it came from: every number in it must stand in what a tool returned."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from schemas.evidence import Passage
from services.text.held_numbers import missing_quantities
from services.text.numbers import quantities
from services.text.passages import statements
from services.text.sentence_ranking import sentence_scores
from services.text.tokens import tokens

MAX_CANDIDATES = 2_000
"""Lines that are looked through, the last calls' first."""


@dataclass(frozen=True, slots=True)
class StoredLine:
    """A line of a stored text: `stored[start:end] == text`."""

    content_hash: str
    text: str
    start: int
    end: int


@dataclass(slots=True)
class Traced:
    """A finding and where it comes from."""

    finding: str
    """Without the sentences that hold a number which no tool returned."""
    lines: list[StoredLine] = field(default_factory=list)
    """In the order of the sentences, each once."""
    dropped: list[str] = field(default_factory=list)
    """Sentences that were left out."""


def lines_of(passage: Passage) -> list[StoredLine]:
    """Return the lines of a passage that hold anything."""
    lines: list[StoredLine] = []
    place = passage.start
    for line in passage.text.split("\n"):
        if any(char.isalnum() for char in line):
            lines.append(StoredLine(passage.content_hash, line, place, place + len(line)))
        place += len(line) + 1
    return lines


def trace(finding: str, passages: Sequence[Passage], question: str = "") -> Traced:
    """Follow each sentence of a finding to the lines that hold its numbers, and drop one whose numbers nothing holds."""
    candidates = [line for passage in reversed(passages) for line in lines_of(passage)][:MAX_CANDIDATES]
    traceable: list[str] = []
    traced = Traced("")
    for sentence in (finding[span.start : span.end] for span in statements(finding)):
        lines = _held_by(sentence, candidates, question)
        if lines is None:
            traced.dropped.append(sentence)
            continue
        traceable.append(sentence)
        traced.lines += [line for line in lines if line not in traced.lines]
    traced.finding = re.sub(r"(?<=[。！？；）]) ", "", " ".join(traceable))
    return traced


def lines_holding(literals: Sequence[str], passages: Sequence[Passage], excerpts: Sequence[str]) -> list[StoredLine]:
    """Return a line for each number that a program has from what a tool returned and that no excerpt quotes yet.

    Numbers that the excerpts or the question hold have their line already.
    """
    missing = [literal for literal in literals if missing_quantities(literal, excerpts)]
    candidates = [line for passage in passages for line in lines_of(passage)][:MAX_CANDIDATES] if missing else []
    held = (
        next((line for line in candidates if not missing_quantities(literal, [line.text])), None) for literal in missing
    )
    return list(dict.fromkeys(line for line in held if line is not None))


def _held_by(sentence: str, candidates: Sequence[StoredLine], question: str) -> list[StoredLine] | None:
    """Return the fewest lines, greedily, that hold a sentence's numbers; None where some stand nowhere."""
    missing = set(missing_quantities(sentence, [question]))
    if not quantities(sentence):
        return _alike(sentence, candidates)
    useful = [(line, missing - set(missing_quantities(sentence, [question, line.text]))) for line in candidates]
    useful = [(line, held) for line, held in useful if held]
    tells = dict(
        zip((line for line, _ in useful), sentence_scores(sentence, [line.text for line, _ in useful]), strict=True)
    )
    chosen: list[StoredLine] = []
    while missing:
        best = max(useful, key=lambda pair: (len(pair[1] & missing), tells[pair[0]]), default=None)
        if best is None or not best[1] & missing:
            return None
        chosen.append(best[0])
        missing -= best[1]
    return chosen or _alike(sentence, candidates)


def _alike(sentence: str, candidates: Sequence[StoredLine]) -> list[StoredLine]:
    """Return the line that tells most of a sentence without numbers, if they share more than a word."""
    scored = zip(sentence_scores(sentence, [line.text for line in candidates]), candidates, strict=True)
    best = max(scored, key=lambda pair: pair[0], default=None)
    return [best[1]] if best and len(set(tokens(sentence)) & set(tokens(best[1].text))) > 1 else []
