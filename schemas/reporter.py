"""The reporter's prompt and the report that people get."""

import re
from typing import Any

from pydantic import BaseModel, Field, computed_field, model_validator

from schemas.cited_text import CitedTextPrompt
from schemas.clean_text import CleanLine, CleanText
from schemas.deck import DeckPage
from schemas.document import Document
from schemas.evidence import Answered, Artifact, Claim, Contradiction, Excerpt, Source, by_content_hash
from schemas.evidence_view import BackgroundPrompt, FindingView
from schemas.later_rooms import later
from schemas.outline import Section
from schemas.planner import Plan
from schemas.reflector import Reflection
from schemas.results import StepResult
from schemas.usage import Usage
from schemas.wishes import Form

_LOCAL_LINK = re.compile(r"\[(\[\d{1,6}\])\]\([^()\s]*\)|\[([^\[\]]*)\]\(sources/[^()\s]*\)")
"""A citation, or a link to a stored text: what stands for itself where nothing can be followed."""


class ReporterPrompt(CitedTextPrompt, BackgroundPrompt):
    """Variables of `prompts/reporter.md`."""

    question: str
    today: str
    length: str
    """`answer` (two to four sentences, the fast path), `brief`, `standard` or `full`."""
    words: int = 0
    """That the report is to have; 0 where its length says it."""
    fewest: int = 0
    most: int = 0
    """Bounds of what a long report has, where the user set no number; 0 where its length says it."""
    tone: str
    wishes: Form = Form()
    """Form and readers that are asked for."""
    findings: list[FindingView]
    """Steps with their evidence; failed steps have no evidence."""
    contradictions: list[Contradiction]
    outline: list[Section] = Field(default_factory=list)
    """Sections that the report is to have; empty where it is short, or too little was found for sections."""
    outdated: list[str] = Field(default_factory=list)
    """Ids of excerpts that are out of date for a dated question."""
    missing_aspects: list[str]
    draft: str = ""
    """The first draft, in Markdown with its citations, for the second."""
    draft_words: int = 0
    """Words of the first draft without its code; in Chinese, characters."""
    searched: list[str] = Field(default_factory=list)
    """Statements that the first draft lacked, which were searched."""
    found_for_draft: bool = False
    """Whether that search brought anything new; it is the last finding."""

    @computed_field  # type: ignore[prop-decorator]  # mypy does not know decorated properties
    @property
    def opening(self) -> str:
        """Label of the report's first paragraph."""
        return "摘要" if self.locale.startswith("zh") else "TL;DR"


class Report(BaseModel):
    """A finished report with all that proves it."""

    title: CleanLine
    question: CleanText = ""
    locale: str = ""
    """Language of the program's own words in it; empty in reports that were written before it was kept."""
    version: int = 1
    """1 as it was written; each change makes a further one."""
    markdown: CleanText
    document: Document | None = None
    """Its text as a tree, from which the Markdown and all formats are made; None in reports of versions before 0.2."""
    connecting: list[CleanText] = Field(default_factory=list)
    """Its sentences that are no claims: a verifier found them to state no fact, or they say what the evidence does not tell."""
    answered: Answered = ""
    """Whether its opening answers the question, as code judges; that its quotes are real says nothing about that."""
    sources: list[Source] = Field(default_factory=list)
    excerpts: list[Excerpt] = Field(default_factory=list)
    citations: list[Claim] = Field(default_factory=list)
    left_out: list[Claim] = Field(default_factory=list)
    """Sentences of the draft that the report does not have, because what they cite refutes them or they were to be dropped."""
    contradictions: list[Contradiction] = Field(default_factory=list)
    plans: list[Plan] = Field(default_factory=list)
    results: list[StepResult] = Field(default_factory=list)
    reflections: list[Reflection] = Field(default_factory=list)
    """Every reflection of the run, in order, each with its reasoning."""
    follow_up_questions: list[CleanLine] = Field(default_factory=list)
    limits: list[CleanText] = Field(default_factory=list)
    usage: Usage = Usage()
    artifacts: list[Artifact] = Field(default_factory=list)
    prompts: dict[str, int | str] = Field(default_factory=dict)
    """Versions of the prompts that were used, by role; `custom:<hash>` is a text that the run brought along."""
    deck: list[DeckPage] = Field(default_factory=list)
    """Pages of slides that a model wrote from it; without any, slides are laid out by rules."""
    by_rules: bool = False
    """Whether rules selected its sentences, and no model wrote it; false in reports of earlier versions."""
    direct: bool = False
    """True for an answer without research: a greeting, a clarifying question, something out of scope."""
    asks_back: bool = False
    """True where that answer is a clarifying question; the next turn's message answers it."""
    run_id: str = ""
    folder: str | None = None
    """Where its files were written, if they were."""

    files: list[str] = Field(default_factory=list)
    """Names of the files in the folder that hold the report, one a format."""

    @model_validator(mode="before")
    @classmethod
    def _by_content_hash(cls, report: Any) -> Any:
        return by_content_hash(report)

    @property
    def without_model(self) -> bool:
        """Whether no language model was connected: rules wrote it, and the calls cost nothing, while a model's cost has a price or none is known.

        Where no call ended, or one was given up, a model may have been too slow.
        """
        total = self.usage.total
        return self.by_rules and total.calls > 0 and total.cost == 0 and not total.abandoned

    @property
    def shows_evidence(self) -> bool:
        """Whether something was found for its question: rules show nothing of what is not close to it."""
        return bool(self.citations or (self.excerpts and not self.by_rules))

    def _repr_html_(self) -> str | None:
        return None if self.direct else later("notebook_html")(self)

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        printer.text(str(self))

    def _repr_markdown_(self) -> str:
        return self.markdown

    def __str__(self) -> str:
        return _LOCAL_LINK.sub(r"\1\2", self.markdown).strip()

    def __repr__(self) -> str:
        about = {
            "answered": self.answered,
            "statements": len(self.citations),
            "sources": len(self.sources),
            "run_id": self.run_id,
            "folder": self.folder,
        }
        return f"Report({self.title!r}, {', '.join(f'{name}={value!r}' for name, value in about.items() if value)})"
