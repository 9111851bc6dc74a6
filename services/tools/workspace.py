"""The workspace that the tools of one step share: files that programs find in their work folder, and addresses that may be read."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from schemas.evidence import Passage, Source
from services.evidence.computation import Computation
from services.run.evidence_store import EvidenceStore
from services.sandbox.journaled import CodeRun

_TAKEN = frozenset(["", ".", "..", "main.py"])
"""Names that no file in a work folder can have."""


@dataclass(slots=True)
class Workspace:
    """Filled by what the step begins with, then by its tools' results in the order of the calls."""

    evidence: EvidenceStore
    files: dict[str, bytes] = field(default_factory=dict)
    """Files for programs, by plain name."""
    given: list[str] = field(default_factory=list)
    """Texts whose numbers a program may use besides what the tools returned: the question and what earlier steps quote."""
    literals: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Numbers that programs were given and have written into them, by the content hash of their run."""
    made: set[str] = field(default_factory=set)
    """Files that programs made out of numbers that no source gives."""
    passages: list[Passage] = field(default_factory=list)
    """Passages that the step began with and that the tools have returned, as `P1`, `P2` and so on."""
    sources: dict[str, Source] = field(default_factory=dict)
    """Their sources, by content hash."""
    addresses: set[str] = field(default_factory=set)
    """Pages that a search, the user or the plan named; no others are read."""

    def known(self) -> tuple[str, ...]:
        """Return the texts whose numbers a program may use."""
        returned = (passage.text for passage in self.passages if not self.nowhere(passage.content_hash))
        return (*self.given, *returned)

    async def add_computation(self, code: str, description: str, run: CodeRun) -> tuple[Source, Passage]:
        """Store a program's run as a source, and remember its literals and the files it made out of untraced numbers.

        Args:
            code: the program.
            description: what it computes.
            run: a successful one, with the files of this workspace.

        Returns:
            The source, and its output as a passage of it.
        """
        computation = Computation(
            code,
            description,
            run.stdout,
            dict(self.files),
            run.at,
            run.mode == "isolated",
            self.known(),
            frozenset(self.made),
        )
        source, output = await computation.store(self.evidence)
        self.literals[source.content_hash] = computation.origin.given
        if source.untraced:
            self.made.update(name.rpartition("/")[2] for name in run.artifacts)
        return source, output

    def nowhere(self, content_hash: str) -> bool:
        """Return whether a source is a computation out of numbers that no source gives."""
        source = self.sources.get(content_hash)
        return source is not None and bool(source.untraced)

    def add_evidence(self, passages: Iterable[Passage], sources: Mapping[str, Source]) -> list[Passage]:
        """Keep what can be quoted, each passage once; web pages among the sources may be read from now on.

        Returns:
            The passages as they are kept, each once, with the ids that they have in this step.
        """
        kept = {(passage.content_hash, passage.start, passage.end): passage for passage in self.passages}
        given: dict[str, Passage] = {}
        for passage in passages:
            key = passage.content_hash, passage.start, passage.end
            if key not in kept:
                kept[key] = passage.model_copy(update={"id": f"P{len(self.passages) + 1}"})
                self.passages.append(kept[key])
            given[kept[key].id] = kept[key]
        self.sources = {**sources, **self.sources}
        self.addresses.update(source.url for source in sources.values() if source.kind == "web")
        return list(given.values())

    async def add_files(self, artifacts: dict[str, str]) -> None:
        """Hand files that a tool made to the programs that run after it.

        Args:
            artifacts: name, and hash in the evidence store.
        """
        for name, content_hash in sorted(artifacts.items()):
            plain = name.rpartition("/")[2]
            if plain not in _TAKEN:
                self.files[plain] = await self.evidence.get_bytes(content_hash)
