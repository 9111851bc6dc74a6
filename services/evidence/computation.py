"""A code run or a database query as a source: what went in, the program and what came out, so that a number can be followed to its cell; and a finding to the lines that it came from."""

import contextlib
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Literal

from schemas.coder import COPIED
from schemas.evidence import Passage, Source
from services.evidence.literals import Origin, files_read, origin_of, parsed
from services.run.errors import StoreError
from services.run.evidence_store import EvidenceStore
from services.text.held_numbers import missing_quantities
from services.text.normal_form import normalise_text
from services.text.numbers import quantities
from services.text.passages import is_table_head, statements
from services.text.sentence_ranking import sentence_scores
from services.text.tokens import tokens

_QUERY, _TABLES, _SQL, _RESULT = "# Query", "## Tables", "## SQL", "## Result"
_INPUTS, _ROWS, _CODE, _OUTPUT = "## Inputs", "## Columns and first rows", "## Code", "## Output"
_UNISOLATED = "It ran without isolation (LEADLINE_SANDBOX=unsafe)."
_TICKS = re.compile("`+")
_FENCED = re.compile(r"(`{3,})python\n(.*)\n\1", re.DOTALL)
MAX_ROWS = 12_000
"""Characters of the columns and first rows of tables that are stored with a program."""
_MAX_OUTPUTS = 20
"""Headings of an output that are tried, from the last."""


@dataclass(frozen=True)
class Computation:
    """One successful run of a program."""

    code: str
    description: str
    output: str
    files: dict[str, bytes] = field(default_factory=dict)
    at: str = ""
    """When it ran, ISO 8601 in UTC."""
    isolated: bool = True
    known: tuple[str, ...] = ()
    """Texts whose numbers the program may use: quotes of sources and the question."""
    tables: Mapping[str, str] = field(default_factory=dict)
    """Columns and first rows of tables among the inputs, by name: the program may repeat their numbers."""
    made: frozenset[str] = frozenset()
    """Files among the inputs that prove nothing: programs made them out of numbers that no source gives."""

    @cached_property
    def origin(self) -> Origin:
        """Where the numbers of its output come from."""
        return origin_of(self.code, self.output, [*self.known, *self._rows()], self.files.keys() - self.made)

    def _rows(self) -> list[str]:
        """Return columns and first rows of the tables that it reads, as many as there is room for."""
        tree = parsed(self.code)
        read = files_read(tree, self.files.keys() - self.made) if tree and self.tables else ()
        rows = [self.tables[name] for name in sorted(read) if self.tables.get(name)]
        return [text for text, end in zip(rows, accumulate(map(len, rows)), strict=True) if end <= MAX_ROWS]

    @property
    def code_id(self) -> str:
        """Name of the code by its content: `code-` and ten hexadecimal digits."""
        return f"code-{hashlib.sha256(self.code.encode()).hexdigest()[:10]}"

    def text(self) -> str:
        """Return what is stored: inputs with their hashes, the code, and its output last."""
        inputs = [f"{name} sha256:{hashlib.sha256(data).hexdigest()}" for name, data in sorted(self.files.items())]
        fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(self.code)), default=0))
        return normalise_text(
            "\n".join(
                [
                    "# Computation",
                    self.description,
                    "",
                    _INPUTS,
                    *inputs,
                    *(["", _ROWS, *rows] if (rows := self._rows()) else []),
                    "",
                    _CODE,
                    f"{fence}python",
                    self.code,
                    fence,
                    *([] if self.isolated else ["", _UNISOLATED]),
                    "",
                    _OUTPUT,
                    self.output,
                ]
            )
        )

    async def store(self, evidence: EvidenceStore) -> tuple[Source, Passage]:
        """Store the run, and return its source and its output as a passage of the stored text."""
        text = self.text()
        content_hash = await evidence.put_text(text)
        source = Source(
            url=f"computation:{self.code_id}",
            title=self.description or self.code_id,
            kind="computation",
            content_hash=content_hash,
            fetched_at=self.at,
            untraced=list(self.origin.untraced),
        )
        start = min(len(text), text.rindex(_OUTPUT) + len(_OUTPUT) + 1)
        return source, Passage(
            id="P1", content_hash=content_hash, title=source.title, start=start, end=len(text), text=text[start:]
        )


@dataclass(frozen=True, slots=True)
class Program:
    """What was run for a source, as its stored text has it, and what it read."""

    code: str
    language: Literal["python", "sql"]
    reads: tuple[str, ...] = ()
    """Names of the files in its work folder, or the database with its tables; empty where code cannot tell."""
    output: str = ""
    """What it printed; empty for a query."""
    rows: str = ""
    """Columns and first rows of the tables that it reads."""


def program_of(text: str) -> Program | None:
    """Read the program off a stored computation; None where the text is no computation's."""
    head, _, rest = text.partition(f"\n{_CODE}\n")
    named, _, rows = head.partition(f"\n{_INPUTS}\n")[2].partition(f"\n{_ROWS}\n")
    lines = named.split("\n")
    inputs = [name for line in lines if (name := line.partition(" sha256:")[0])]
    ends = list(re.finditer(rf"\n\n{_OUTPUT}\n", rest))
    for end in reversed(ends[-_MAX_OUTPUTS:]):  # what a program prints may look like the heading of its output
        code = rest[: end.start()].removesuffix(f"\n\n{_UNISOLATED}")
        if fenced := _FENCED.fullmatch(code):  # not in bundles of earlier versions
            code = fenced[2]
        if (tree := parsed(code)) is not None:
            return Program(code, "python", files_read(tree, inputs), rest[end.end() :], rows.strip())
    return None


async def programs_of(sources: Iterable[Source], evidence: EvidenceStore) -> dict[str, Program]:
    """Return the programs of computations and database queries among sources, by content hash.

    A source has none if its text is missing or is not the record of a run.
    """
    programs: dict[str, Program] = {}
    for source in sources:
        if source.kind in {"computation", "database"}:
            with contextlib.suppress(StoreError):
                program = program_behind(source, await evidence.get_text(source.content_hash))
                if program is not None:
                    programs[source.content_hash] = program
    return programs


def program_behind(source: Source, text: str) -> Program | None:
    """Parse the program from a source's stored text; None if the text has none."""
    return _query_in(text) if source.kind == "database" else program_of(text)


def query_heading(*, database: str, tables: Sequence[str], sql: str, values: Mapping[str, object]) -> str:
    """Return what is stored before a query's result, so that a report can show the query."""
    query = "\n".join([sql.strip(), *(f"-- :{name} = {value!r}" for name, value in values.items())])
    return "\n".join([_QUERY, database, "", _TABLES, *tables, "", _SQL, query, "", _RESULT, ""])


def _query_in(text: str) -> Program | None:
    head, result_heading, _ = text.partition(f"\n\n{_RESULT}\n")
    head, sql_heading, sql = head.partition(f"\n{_SQL}\n")
    if not text.startswith(f"{_QUERY}\n") or not sql_heading or not result_heading:
        return None
    database, _, tables = head.removeprefix(f"{_QUERY}\n").partition(f"\n\n{_TABLES}\n")
    named = ", ".join(table for table in tables.split("\n") if table)
    return Program(sql.strip(), "sql", (f"{database} ({named})" if named else database,))


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


def stated_lines(output: Passage) -> list[StoredLine]:
    """Return the lines by which an output states something: no heads of tables, which stand beside each row, and no words copied from texts."""
    lines = lines_of(output)
    return [
        line
        for line in lines
        if not is_table_head(output.text, line.start - output.start) and not line.text.startswith(COPIED)
    ]


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
