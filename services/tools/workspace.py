"""The shared state of a step's tools: files for programs, quotable passages, and addresses that may be read."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from schemas.evidence import Passage, Source
from services.check.numbers import proving
from services.evidence.computation import Computation
from services.run.evidence_store import EvidenceStore
from services.sandbox.journaled import CodeRun

_TAKEN = frozenset(["", ".", "..", "main.py"])
"""Names that files in a working folder cannot have."""


@dataclass(slots=True)
class Workspace:
    """Holds the step's initial data, then its tools' results in the order of the calls."""

    evidence: EvidenceStore
    files: dict[str, bytes] = field(default_factory=dict)
    """Files for programs, by plain name."""
    given: list[str] = field(default_factory=list)
    """Texts whose numbers a program may use besides tool results: the question and quotes of earlier steps."""
    literals: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Numbers from the given texts that programs contain as literals, by the content hash of their run."""
    made: set[str] = field(default_factory=set)
    """Files that programs made from numbers without a source."""
    passages: list[Passage] = field(default_factory=list)
    """Passages of the step and of its tools' results, as `P1`, `P2` and so on."""
    sources: dict[str, Source] = field(default_factory=dict)
    """Their sources, by content hash."""
    addresses: set[str] = field(default_factory=set)
    """Pages that a search, the user or the plan named; no other pages are read."""

    def known(self) -> tuple[str, ...]:
        """Return the texts whose numbers a program may use."""
        return (
            *self.given,
            *(proving(passage.text, self._untraced(passage.content_hash)) for passage in self.passages),
        )

    async def add_computation(self, code: str, description: str, run: CodeRun) -> tuple[Source, Passage]:
        """Store a program's run as a source, with its literals and the files that it made from untraced numbers.

        Args:
            code: the program.
            description: description of the computation.
            run: a successful run, with the files of this workspace.

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

    def _untraced(self, content_hash: str) -> list[str] | None:
        source = self.sources.get(content_hash)
        return source.untraced if source is not None else None

    def proven(self, passage: Passage) -> bool:
        """Tell whether all numbers of a passage have a source."""
        return not self._untraced(passage.content_hash)

    def add_evidence(self, passages: Iterable[Passage], sources: Mapping[str, Source]) -> list[Passage]:
        """Add quotable passages, each once; web pages among the sources may be read from now on.

        Returns:
            The stored passages, each once, with their ids in this step.
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
        """Give a tool's files to later programs.

        Args:
            artifacts: hashes in the evidence store by file name.
        """
        for name, content_hash in sorted(artifacts.items()):
            plain = name.rpartition("/")[2]
            if plain not in _TAKEN:
                self.files[plain] = await self.evidence.get_bytes(content_hash)
