"""The shared state of a step's tools: files for programs, quotable passages, and addresses that may be read."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from schemas.evidence import Passage, Source
from services.check.numbers import proving
from services.evidence.computation import Computation
from services.run.evidence_store import EvidenceStore
from services.sandbox.journaled import CodeRun
from services.search.source_kinds import site_of
from services.text.normal_form import normalise_text
from services.text.passages import split
from services.text.ranking import bm25
from services.text.tokens import tokens
from services.tools.output import ToolOutput

_TAKEN = frozenset(["", ".", "..", "main.py"])
"""Names that files in a working folder cannot have."""


@dataclass(slots=True)
class Workspace:
    """Holds the step's initial data, then its tools' results in the order of the calls."""

    evidence: EvidenceStore
    files: dict[str, bytes] = field(default_factory=dict)
    """Files for programs, by plain name."""
    known_texts: list[str] = field(default_factory=list)
    """Texts whose numbers a program may use besides tool results: the question and quotes of earlier steps."""
    literals: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Numbers of `known_texts` that programs contain as literals, by the content hash of their run."""
    tables: dict[str, str] = field(default_factory=dict)
    """Columns and first rows of tables among `files`, by name."""
    made: set[str] = field(default_factory=set)
    """Files of programs that take in nothing."""
    passages: list[Passage] = field(default_factory=list)
    """Passages of the step and of its tools' results, as `P1`, `P2` and so on."""
    sources: dict[str, Source] = field(default_factory=dict)
    """Their sources, by content hash."""
    addresses: set[str] = field(default_factory=set)
    """Pages that a search, the user or the plan named; no other pages are read."""

    async def add_computation(self, code: str, description: str, run: CodeRun) -> tuple[Source, Passage]:
        """Store a program's run as a source, with its literals and the files that it made if it takes in nothing.

        Returns:
            The source, and its output as a passage of it.
        """
        shown = (
            proving(passage.text, self.sources.get(passage.content_hash), typed=False) for passage in self.passages
        )
        computation = Computation(
            code,
            description,
            run.stdout,
            dict(self.files),
            run.at,
            run.mode == "isolated",
            (*self.known_texts, *shown),
            dict(self.tables),
            frozenset(self.made),
        )
        source, output = await computation.store(self.evidence)
        self.literals[source.content_hash] = computation.origin.sourced
        if source.without_input:
            self.made.update(name.rpartition("/")[2] for name in run.artifacts)
        return source, output

    def proven(self, passage: Passage) -> bool:
        """Tell whether all numbers of a passage have a source."""
        source = self.sources.get(passage.content_hash)
        return not (source and source.untraced)

    def add_evidence(self, passages: Iterable[Passage], sources: Mapping[str, Source]) -> list[Passage]:
        """Add quotable passages, each once; web pages among the sources may be read from now on.

        Returns:
            The stored passages, each once, with their ids in this step.
        """
        by_place = {(passage.content_hash, passage.start, passage.end): passage for passage in self.passages}
        stored: dict[str, Passage] = {}
        for passage in passages:
            key = passage.content_hash, passage.start, passage.end
            if key not in by_place:
                by_place[key] = passage.model_copy(update={"id": f"P{len(self.passages) + 1}"})
                self.passages.append(by_place[key])
            stored[by_place[key].id] = by_place[key]
        self.sources = {**sources, **self.sources}
        self.addresses.update(source.url for source in sources.values() if source.kind == "web")
        return list(stored.values())

    async def add_files(self, artifacts: dict[str, str]) -> None:
        """Give files of the evidence store, hashes by name, to later programs."""
        for name, content_hash in sorted(artifacts.items()):
            plain = name.rpartition("/")[2]
            if plain not in _TAKEN:
                self.files[plain] = await self.evidence.get_bytes(content_hash)


async def passages_of(
    output: ToolOutput, content_hash: str, evidence: EvidenceStore
) -> tuple[list[Passage], dict[str, Source]]:
    """Return the passages of a result and their sources.

    Returns:
        Its passages, the whole text below its heading where it has none of its own; their sources by content hash.
    """
    if output.passages or not output.title:
        return output.passages, output.sources
    text = await evidence.get_text(content_hash)
    start = 0
    if output.heading:
        stored = await asyncio.to_thread(normalise_text, output.heading + text)
        start = len(stored) - len(text)
        content_hash = await evidence.put_text(stored)
    source = Source(
        url=output.url,
        title=output.title,
        kind=output.kind,
        content_hash=content_hash,
        site=output.site or site_of(output.url, output.kind),
        source_kind=output.source_kind,
        fetched_at=output.at,
        published=output.published,
        card=output.card,
    )
    whole = Passage(
        id="",
        content_hash=content_hash,
        title=source.title,
        start=start,
        end=start + len(text),
        text=text,
        site=source.site,
        source_kind=source.source_kind,
        published=source.published or "",
        about=source.card.about,
    )
    return [whole], {content_hash: source}


def ranked(passages: Sequence[Passage], query: str) -> list[Passage]:
    """Split long passages, sort them by relevance to a query, and number them `P1`, `P2` and so on."""
    parts = [
        passage.model_copy(
            update={
                "start": passage.start + span.start,
                "end": passage.start + span.end,
                "text": passage.text[span.start : span.end],
            }
        )
        for passage in passages
        for span in split(passage.text)
    ]
    scores = bm25([tokens(part.text) for part in parts], tokens(query))
    order = sorted(range(len(parts)), key=lambda place: -scores[place])
    return [parts[place].model_copy(update={"id": f"P{number}"}) for number, place in enumerate(order, 1)]
