"""Evidence: sources, the excerpts that quote them, and the claims that cite the excerpts."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AliasChoices, BaseModel, Field, computed_field, model_validator
from pydantic.json_schema import SkipJsonSchema

from schemas.answer_schema import AtMost, Id
from schemas.card import Card
from schemas.clean_text import CleanLine, CleanText
from schemas.publication import Publication

SourceKind = Literal["web", "document", "database", "computation", "tool"]
StepKind = Literal["general", "academic", "medicine", "news", "code", "official"]
"""Kinds of source that a step of a plan may look for; medicine is academic, and has catalogues of its own."""
NamedKind = Literal["academic", "news", "code", "official", "reference", "forum", "company", "personal"]
"""Kinds of source that a run can prefer or leave out."""
SourceCategory = Literal["general", NamedKind]
"""Who speaks: a paper, a newspaper, a code repository, a public body; an encyclopaedia or dictionary, people in a forum, a
company about itself and what it sells, one person; or anybody else."""
Relevance = Literal["high", "medium", "low"]
Difference = Literal["", "numbers", "dates", "negation", "opposites"]
"""What code sees two excerpts differ in; empty where it sees nothing."""


EXCERPT_ID = r"[BEMT]\d+-\d+"
"""Pattern of an excerpt's id: `E2-1` is the first of step 2, `B0-1` of the background search, `T0-1` of earlier turns, `M0-1` of what is
remembered of other threads."""


NO_INPUT = "no input"
"""Stands before the untraced numbers of a program that takes in nothing at all."""


class Source(BaseModel):
    """Something that was read. Its text lies in the evidence store under `content_hash`, never in the state."""

    number: int | None = None
    """1, 2, … in the order in which the report cites its sources, given by the reporter; until then None."""
    file: str = Field("", validation_alias=AliasChoices("file", "text"))
    """Path of its text below the report's folder, `sources/02-pep-703.txt`, given with the number; `text` in `evidence.json`, where a
    text that the report does not link to ends in `.gz`. Empty until then, and in earlier reports."""
    url: CleanLine
    """Web address, or the document's path as the user named it."""
    title: CleanLine
    kind: SourceKind
    content_hash: str
    """SHA-256 of the stored, normalised text, as 64 hexadecimal digits."""
    site: CleanLine = ""
    """Name of the site or publisher that speaks, such as `nature.com`; empty where nothing tells it."""
    source_kind: SourceCategory = "general"
    fetched_at: str = ""
    """ISO 8601, UTC."""
    published: CleanLine | None = None
    """ISO date, where the source tells it."""
    known_from: str = ""
    """ISO date of the day on which an earlier research read it, where this one has not read it again; else empty."""
    duplicate_of: str | None = None
    """Content hash of the source that this one copies (copies that tell the same count once)."""
    also_at: list[CleanLine] = Field(default_factory=list)
    """Other addresses at which the very same text was found, in order."""
    snippet_only: bool = False
    """True when only a search engine's snippet could be read."""
    abstract_only: bool = False
    """True when only the abstract of a publication could be read."""
    card: Card = Card()
    """What it says about itself; without its own words, what title, date and catalogue say."""
    publication: Publication | None = None
    """What a catalogue knows of it; None for what is in none."""
    rendered: bool | None = None
    """True where a browser ran the page's scripts before its text was taken; None elsewhere."""
    fingerprint: str = ""
    """MinHash signature of the text, by which copies are found."""
    untraced: list[str] | None = None
    """Of a computation: the numbers of its output that stand in the program and no source gives; if it takes in nothing, `NO_INPUT` before them.
    Empty where all come from what it was given, None where nobody has looked, as in old bundles."""

    @model_validator(mode="after")
    def _with_card(self) -> Self:
        authors = list(self.publication.authors) if self.publication else []
        folder = "/".join(self.url.split("/")[1:-1]) if self.kind == "document" else ""
        known = Card(title=self.title, authors=authors, published=self.published or "", folder=folder)
        self.card = self.card.filled(known)
        return self

    @computed_field  # type: ignore[prop-decorator]  # mypy does not know decorated properties
    @property
    def id(self) -> str:
        """`S1` for the source with number 1; empty before the reporter has numbered it."""
        return f"S{self.number}" if self.number is not None else ""

    @property
    def without_input(self) -> bool:
        """Whether it is a computation that takes in nothing, so that no number of its output proves anything."""
        return NO_INPUT in (self.untraced or ())

    @property
    def typed(self) -> list[str]:
        """Numbers that its program, which does take in something, prints as they stand in it: periods, limits, or results that prove nothing."""
        return [] if self.without_input else list(self.untraced or ())

    @property
    def publisher(self) -> str:
        """Who publishes it, as readers and prompts are told: its journal where it has one, else its site."""
        return (self.publication and self.publication.venue) or self.site

    @property
    def addresses(self) -> list[str]:
        """Where its text was found: its own address first."""
        return [self.url, *self.also_at]

    def with_addresses(self, addresses: Iterable[str]) -> "Source":
        """Return it with further addresses of the same text."""
        others = sorted({*self.also_at, *addresses} - {self.url})
        return self if others == self.also_at else self.model_copy(update={"also_at": others})


def root_of(key: str, sources: Mapping[str, Source]) -> str:
    """Return the key of what a source copies in the end, or its own; a circle of copies ends where it closes."""
    seen = {key}
    while (source := sources.get(key)) is not None and source.duplicate_of and source.duplicate_of not in seen:
        key = source.duplicate_of
        seen.add(key)
    return key


def by_content_hash(report: Any) -> Any:
    """Name sources by content hash in a report of versions before 0.2, or in `evidence.json`; both name them `S1`, `S2`, ….

    Any other value than such a report, not validated yet, is returned as it is.
    """
    sources = report.get("sources") if isinstance(report, dict) else None
    if not isinstance(sources, list):
        return report
    hashes = {
        source["id"]: source["content_hash"]
        for source in sources
        if isinstance(source, dict) and re.fullmatch(r"S\d{1,9}", str(source.get("id"))) and "content_hash" in source
    }
    if not hashes:
        return report
    named = {**report, "sources": [_source_by_hash(source, hashes) for source in sources]}
    if "excerpts" in report:
        named["excerpts"] = _excerpts_by_hash(report["excerpts"], hashes)
    if isinstance(results := report.get("results"), list):
        named["results"] = [
            {**result, "excerpts": _excerpts_by_hash(result["excerpts"], hashes)}
            if isinstance(result, dict) and "excerpts" in result
            else result
            for result in results
        ]
    return named


def _source_by_hash(source: Any, hashes: dict[str, str]) -> Any:
    if not isinstance(source, dict) or str(source.get("id")) not in hashes:
        return source
    rest = {key: value for key, value in source.items() if key != "id"}
    original = source.get("duplicate_of")
    return {**rest, "number": int(source["id"][1:]), "duplicate_of": hashes.get(str(original), original)}


def _excerpts_by_hash(excerpts: Any, hashes: dict[str, str]) -> Any:
    if not isinstance(excerpts, list):
        return excerpts
    return [
        {**excerpt, "source_id": hashes.get(str(excerpt["source_id"]), excerpt["source_id"])}
        if isinstance(excerpt, dict) and "source_id" in excerpt
        else excerpt
        for excerpt in excerpts
    ]


class Passage(BaseModel):
    """A stretch of a source's stored text that may hold an answer: `text == stored[start:end]`."""

    id: str
    """`P1`, `P2`, … within one prompt."""
    content_hash: str
    title: CleanLine
    name: CleanLine = ""
    """Short name of its source, such as `PEP 703`."""
    start: int
    end: int
    text: str
    score: float = 0.0
    site: CleanLine = ""
    """Who publishes its source; the three below are of its source, too."""
    source_kind: SourceCategory = "general"
    published: CleanLine = ""
    abstract_only: bool = False
    about: CleanLine = ""
    """What its card has besides the title: authors, dates, status, version."""
    section: CleanLine = ""
    """The heading above it, where it does not begin with that."""
    above: CleanLine = ""
    """The headings of its table, or the line that begins its code, where it begins amid one."""

    def lies_in(self, other: "Passage") -> bool:
        """Tell whether another passage of the same text holds it."""
        return self.content_hash == other.content_hash and other.start <= self.start and self.end <= other.end


QuotePlace = tuple[str, int, int]
"""Where a quote stands: the `content_hash` of its source, its start and its end."""


class Excerpt(BaseModel):
    """A verbatim quote: `quote == stored[start:end]` of its source."""

    id: str = ""
    """See `EXCERPT_ID`."""
    content_hash: str = Field(validation_alias=AliasChoices("content_hash", "source_id"))
    """That of its source; `source_id` is its name in versions before 0.2."""
    quote: str
    start: int
    end: int
    relevance: Relevance = "medium"
    confirmed_by: list[str] = Field(default_factory=list)
    """Ids of excerpts of independent sources that give one of its figures, too; found when the report is written."""
    heads: str = ""
    """Line of headings of the table that it quotes rows of, or the line that begins its code, where it does not begin with it."""
    page: int | None = None
    """Number of its page, from 1, where its source has pages; found when the report is written."""
    section: str = ""
    """The heading that it stands under in its source; found when the report is written."""
    nodes: list[str] = Field(default_factory=list)
    """Ids of the outline's nodes that it serves, as the model said that judged it; empty where it said none. Not in bundles."""

    @property
    def headed_quote(self) -> str:
        """The quote below its heading and the headings of its table: what statements are checked against."""
        return "\n".join(filter(None, [self.section, self.heads, self.quote]))

    @property
    def place(self) -> QuotePlace:
        """Where it stands."""
        return self.content_hash, self.start, self.end

    def lies_in(self, other: "Excerpt | Passage") -> bool:
        """Tell whether another quote or a passage of the same text holds it."""
        return self.content_hash == other.content_hash and other.start <= self.start and self.end <= other.end


def quoted_sources(excerpts: Iterable[Excerpt], sources: Mapping[str, Source]) -> dict[str, Source]:
    """Return the sources of excerpts, and copies of these sources, by content hash."""
    quoted = {excerpt.content_hash for excerpt in excerpts}
    return {key: source for key, source in sources.items() if key in quoted or source.duplicate_of in quoted}


Status = Literal["", "quoted", "supported", "inferred", "unverified", "contradicted"]
"""What the check of a sentence came to: the words of a source, supported by what it cites, a conclusion from supported
premises, none of these, or refuted by what it cites, which stays in no report; empty in bundles of versions before 0.2, whose
check saw less."""

Judged = Literal["supported", "follows", "partly", "contradicted", "not_told", "no_claim", "absent"]
"""What a verifier says that the cited passages do with a sentence; `follows`: it is a conclusion that they bear; `no_claim`: it only
introduces or connects; `absent`: it says what the sources do not tell, which is judged against all evidence."""
PASSED: frozenset[Judged] = frozenset({"supported", "follows", "no_claim", "absent"})
"""Verdicts without an objection."""


class Judgement(BaseModel):
    """What a model that verifies said of a sentence."""

    verdict: Judged
    words: str = ""
    """The decisive words, verbatim from a cited passage; empty where nothing decides."""


class Claim(BaseModel):
    """A sentence of the report and what became of the check of its citations."""

    text: str
    citations: list[str] = Field(default_factory=list)
    """Ids of the excerpts that the sentence cites."""
    cited_by: Literal["code", "paragraph", "report"] | None = None
    """`code` where code found an excerpt that supports the sentence, which cited none, or too little. A sentence that cites nothing was checked
    by what its `paragraph` cites, or by the other statements of the `report` that it sums up. Else the writer cited."""
    verified: bool
    status: Status = ""
    reason: str = ""
    """Why it is not verified; empty when it is."""
    likeness: float | None = None
    """Cosine with what it cites, where that is in another language and only meaning could be compared."""
    judgement: Judgement | None = None
    """What a model said of it, where one was asked."""


def status_counts(claims: Iterable[Claim]) -> dict[Status, int]:
    """Return how many sentences have each status, in the order of `Status`, without those that none has.

    Claims of bundles without `status` count as supported or unverified.
    """
    counted = Counter(claim.status or ("supported" if claim.verified else "unverified") for claim in claims)
    return {status: counted[status] for status in get_args(Status) if counted[status]}


Answered = Literal["", "yes", "partly", "no"]
"""Whether a report answers its question; empty if this was not judged, as in bundles of versions before 0.2."""

Standing = Literal["all", "sound", "some", "none", "empty"]
"""How a report stands: it answers its question and all of its statements are quoted or supported; nothing is wrong with it; a
statement is unverified or the question is not answered; none of its statements is quoted or supported; or it makes no statement."""


def standing(claims: int, sure: int, answered: Answered, inferred: int = 0) -> Standing:
    """Return how a report stands. Whatever shows it gives a tick and green for `all` alone, and warns of `some` and `none`.

    Of its claims so many are `sure`, which is quoted or supported, and so many others `inferred`.
    """
    if not claims:
        return "empty"
    if not sure:
        return "none"
    if sure >= claims and answered == "yes":
        return "all"
    return "sound" if sure + inferred >= claims and answered != "no" else "some"


class Contradiction(BaseModel):
    """Excerpts that disagree about one thing, or one that disagrees with itself."""

    topic: Annotated[CleanLine, AtMost(200)]
    excerpt_ids: Annotated[list[Id], AtMost(8)] = Field(min_length=1)
    explanation: Annotated[CleanText, AtMost(600)] = ""
    differs: SkipJsonSchema[Difference] = ""
    """What code sees them differ in; empty where only the model says so. Code sets it, and no model is asked for it."""
    said: SkipJsonSchema[Annotated[list[CleanText], AtMost(8)]] = Field(default_factory=list)
    """The sentences that code compared, where code found it."""


class Artifact(BaseModel):
    """A file that a step made. Its bytes lie in the evidence store under `content_hash`."""

    id: str
    name: CleanLine
    description: CleanLine = ""
    media_type: str = "application/octet-stream"
    content_hash: str
