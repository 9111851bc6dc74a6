"""The form of `evidence.json`, the file that proves a report: what other programs may rely on.

`docs/evidence.schema.json` is this model as JSON Schema. A field that is added needs no new version; one that is taken
out, renamed or means something else does.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.card import Card
from schemas.evidence import Answered, Claim, Contradiction, Relevance, SourceCategory, SourceKind
from schemas.planner import Plan
from schemas.publication import Publication
from schemas.reflector import Reflection
from schemas.results import StepOutcome
from schemas.usage import Usage

Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class BundledSource(BaseModel):
    """A source, and where its text lies in the folder."""

    id: Annotated[str, Field(pattern=r"^S\d+$", description="S1, S2, … as the report cites it: S3 is [3].")]
    url: Annotated[str, Field(description="Web address, or the document's path as the user named it.")]
    title: str
    kind: SourceKind
    content_hash: Annotated[Hash, Field(description="SHA-256 of the stored, normalised text.")]
    site: Annotated[
        str, Field(description="Who publishes it, such as nature.com; empty where unknown, absent in earlier bundles.")
    ] = ""
    source_kind: Annotated[
        SourceCategory,
        Field(
            description="Who speaks: a paper, a newspaper, a code repository, a public body, an encyclopaedia, "
            "people in a forum, a company, one person; or anybody."
        ),
    ] = "general"
    fetched_at: Annotated[str, Field(description="ISO 8601, UTC; empty where unknown.")]
    published: Annotated[str | None, Field(description="ISO date, where the source tells it.")]
    known_from: Annotated[
        str,
        Field(
            description="ISO date of the day on which an earlier research read it, where this one has not read it again; absent "
            "where it has."
        ),
    ] = ""
    duplicate_of: Annotated[
        str | None, Field(description="Id of the source that this one copies; it is cited as that.")
    ]
    also_at: Annotated[
        list[str],
        Field(description="Other addresses at which the very same text was found; absent where there are none."),
    ] = []
    snippet_only: Annotated[bool, Field(description="Only a search engine's snippet was read, not the page.")]
    abstract_only: Annotated[
        bool, Field(description="Only the abstract of a publication was read; absent in earlier bundles.")
    ] = False
    publication: Annotated[
        Publication | None,
        Field(description="What a catalogue of publications knows of it; absent for what is in none."),
    ] = None
    card: Annotated[
        Card,
        Field(
            description="What the source says about itself: title, name or number, authors, dates, status and version. It counts as "
            "evidence of statements that cite the source. Absent where it says no more than title and date, and in bundles of earlier versions."
        ),
    ] = Card()
    rendered: Annotated[
        bool | None,
        Field(description="True where a browser ran the page's scripts before its text was taken; absent elsewhere."),
    ] = None
    untraced: Annotated[
        list[str] | None,
        Field(
            description="Of a computation: numbers of its output that no source gives, which are not verified; behind `no input`, numbers "
            "in a program that takes in nothing, of whose output no number is verified. Empty where there are none; absent for other "
            "sources and in bundles of earlier versions."
        ),
    ] = None
    text: Annotated[
        str,
        Field(
            pattern=r"^sources/([0-9a-f]{64}|\d{2,6}-[^/\\]{1,80})\.txt(\.gz)?$",
            description="File of the text, in UTF-8, named by the source's number and title; in versions 1 and 2 by the content hash. "
            "Compressed (gzip) where the report does not link to it, but always plain in version 1.",
        ),
    ]


class BundledExcerpt(BaseModel):
    """A verbatim quote: `quote` is the source's text from `start` to `end` (in characters)."""

    id: str
    source_id: Annotated[str, Field(description="Id of the source: S1, S2, ….")]
    quote: str
    start: int
    end: int
    relevance: Relevance
    confirmed_by: Annotated[
        list[str],
        Field(
            description="Ids of excerpts in which an independent source (another owner, no copy, other words) gives one of its "
            "figures, too; absent where there are none."
        ),
    ] = []
    heads: Annotated[
        str,
        Field(
            description="Line of headings, in the source's text, of the table that the quote holds rows of; absent where it begins "
            "with it, and where it is of no table."
        ),
    ] = ""
    page: Annotated[
        int | None,
        Field(description="Page of the source on which the quote begins, from 1; absent where it has no pages."),
    ] = None
    section: Annotated[
        str,
        Field(
            description="Heading above the quote, and the line that encloses it; absent without either, and in earlier bundles."
        ),
    ] = ""


class BundledResult(StepOutcome):
    """The result of one step after its latest attempt, with what earlier attempts found."""

    excerpts: list[BundledExcerpt]


class BundledArtifact(BaseModel):
    """A file that a step made."""

    id: str
    name: str
    description: str
    media_type: str
    content_hash: Annotated[Hash, Field(description="SHA-256 of the file's bytes.")]
    file: Annotated[str, Field(pattern=r"^artifacts/[0-9a-f]{12}-[\w.-]+$", description="Where it lies in the folder.")]


class EvidenceFile(BaseModel):
    """Everything that a report rests on; `leadline verify` checks it offline."""

    model_config = ConfigDict(title="Leadline evidence bundle, versions 1 to 3")

    version: Literal[1, 2, 3]
    question: str
    title: str
    locale: Annotated[str, Field(description="Language of the report.")] = ""
    run_id: str
    answered: Annotated[
        Answered,
        Field(
            description="Whether the report's opening answers the question, as code judges from the opening and the last "
            "reflection; empty or absent where nobody has judged."
        ),
    ] = ""
    sources: list[BundledSource]
    excerpts: list[BundledExcerpt]
    claims: Annotated[list[Claim], Field(description="Every sentence that claims something, in the report's order.")]
    left_out: Annotated[
        list[Claim],
        Field(description="Sentences of the draft that the report does not have, each with the reason."),
    ] = []
    plans: list[Plan]
    results: list[BundledResult]
    reflections: Annotated[
        list[Reflection],
        Field(description="Every reflection in order, with its reasoning; empty in bundles that were written without."),
    ] = []
    contradictions: list[Contradiction]
    follow_up_questions: list[str]
    usage: Usage
    limits: Annotated[list[str], Field(description="What the report must admit, in words.")]
    prompts: Annotated[
        dict[str, int | str],
        Field(
            description="Versions of the prompts that were used, by role; custom:<hash> is a text that the run brought along."
        ),
    ]
    artifacts: list[BundledArtifact]
    report_sha256: Annotated[Hash, Field(description="SHA-256 of report.md.")]
    evidence_sha256: Annotated[
        Hash,
        Field(
            description="SHA-256 of all other fields, written as JSON with sorted keys, no blanks and ASCII escapes."
        ),
    ]


def evidence_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of `evidence.json`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **EvidenceFile.model_json_schema(mode="serialization"),
    }
