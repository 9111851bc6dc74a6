"""The fixed words of a report and of the formats, with their English texts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from schemas.evidence import Answered, SourceCategory, Status
from services.check.verdict import Verdict
from services.reports.reasons import (
    JUDGED,
    JUDGED_INFERENCE,
    REASONS,
)
from services.reports.statuses import SURE

BETWEEN = " · "
"""Separator between the parts of a report's head."""
_SHOWN = 120
"""Maximum characters of a quoted item in a reason."""


@dataclass(frozen=True, slots=True)
class Labels:
    """All texts in a report and its formats that come neither from a source nor from a model; the defaults are English."""

    conclusion: str = "Conclusion"
    contradictions: str = "Where sources disagree"
    unconfirmed: str = "Pointed out by the model, not confirmed by code."
    """Note on a contradiction that only the model found."""
    limits: str = "Limits of this report"
    follow_up: str = "Questions to ask next"
    references: str = "References"
    files: str = "Files"
    computations: str = "Computations"
    tables_read: str = "Tables: {tables}"
    """Tables that a program read."""
    quotes_read: str = "quotes of earlier steps"
    findings_read: str = "findings of earlier steps"
    more_lines: str = "… {count} more lines in {file}"
    """Note on the hidden lines of a long program."""
    program: str = "The program"
    enumeration: str = ", "
    nothing_found: str = "No evidence was found for this question, so this report makes no claims."
    nothing_held: str = "No sentence of the draft was supported by what it cited, so this report makes no claims."
    failed_step: str = "Step “{title}” failed: {error}"
    skipped_step: str = "Step “{title}” was skipped: {error}"
    missing: str = "Not stated in the sources: {aspect}"
    dropped: str = "Sentences left out because their citations do not support them: {count}."
    contradicted: str = "Sentences left out because their citations contradict them: {count}."
    cited_by_code: str = "Sentences with missing citations, which code added: {count}."
    snippet: str = "{source}: only a search engine's snippet was read, not the page."
    abstract: str = "{source}: only the abstract was read, not the whole publication."
    pages: str = "p. {pages}"
    """Pages of a source that are quoted."""
    abstract_only: str = "abstract only"
    more_authors: str = "{authors} et al."
    cited_by: str = "cited {count:,} times"
    licence: str = "licence {licence}"
    copy: str = "same text: {urls}"
    more_addresses: str = "and {count} more addresses"
    confirmed: str = "figures also in {numbers}"
    """Note on a source with figures that independent sources also give, with their numbers."""
    published: str = "published {date}"
    newer: str = "published {date}, newer"
    """Note on the later one of disagreeing sources."""
    known_from: str = "known from {date}"
    primary: str = "primary source"
    """Note on the one of disagreeing sources that another names as its origin."""
    uncited: str = "read, not cited"

    skip: str = "Skip to the report"
    contents: str = "Contents"
    summary: str = "In short"
    key_figures: str = "Key figures"
    search: str = "Search in this report"
    matches: str = "{count} found"
    """With `{count}`, which the page's script fills in."""
    copy_link: str = "Copy the link to this section"
    back_to_text: str = "Back to the text"
    copied: str = "Link copied"
    source: str = "Source"
    quotes: str = "Quotes"
    data: str = "The numbers"
    category: str = "Category"
    value: str = "Value"
    diagram: str = "Diagram, as text"
    statement: str = "1 statement"
    statements: str = "{count} statements"
    no_statements: str = "no statements"
    answers: dict[Answered, str] = field(
        default_factory=lambda: {
            "yes": "Answers the question: yes",
            "partly": "Answers the question: partly",
            "no": "Answers the question: no",
        }
    )
    """Texts on whether a report answers its question."""
    all_sure: str = "every quote checked ({statements}: {states})"
    some_sure: str = "{sure} of {count} statements backed by quotes ({states})"
    states: dict[Status, str] = field(
        default_factory=lambda: {
            "quoted": "{count} quoted",
            "supported": "{count} supported",
            "inferred": "{count} inferred",
            "unverified": "{count} unverified",
        }
    )
    """Texts for the number of statements with a status; contradicted statements are in no report."""
    words: dict[Status, str] = field(
        default_factory=lambda: {
            "": "",
            "quoted": "quoted",
            "supported": "supported",
            "inferred": "inferred",
            "unverified": "unverified",
            "contradicted": "contradicted",
        }
    )
    """Name of a status."""
    meanings: dict[Status, str] = field(
        default_factory=lambda: {
            "inferred": "Follows from the cited quotes, which do not say it directly.",
            "unverified": "Not supported by its citations.",
        }
    )
    """Meaning of a mark, if the check recorded no reason."""
    marked_sentence: str = "{state}: “{sentence}” {reason}"
    marked_group: str = "{statements} {state} ({sign}): {sentences}. {reason}"
    """Text for sentences that are marked for the same reason."""
    more_marked: str = "{sentences} and {count} more"
    """Text for sentences of which not all are named."""
    more_reasons: str = "{statements} {state} ({sign}) for other reasons, which evidence.json gives."
    why_marked: str = "Why statements are marked"
    quoted: str = "“{words}”"
    colon: str = ": "
    comma: str = ", "
    as_of: str = "sources read up to {date}"
    generated: str = "A model wrote this text. Check its citations before you rely on it."
    selected: str = "No model wrote this text: rules selected its sentences from the sources. Check its citations before you rely on it."
    """Replaces `generated` if rules wrote the text."""
    more_read_elsewhere: str = "Sources read but not cited: {count}; evidence.json lists them."
    opens_new: str = "opens in a new tab"
    question: str = "Question"
    back: str = "Back"
    next: str = "Next"
    play: str = "Play"
    pause: str = "Pause"
    slide: str = "Slide"
    the_end: str = "Thank you"
    notes: str = "Sources of this slide"
    author: str = "Leadline"
    needs_charts: str = "To see the chart, install Leadline's extra “charts” and render the report again."

    kinds: dict[str, str] = field(default_factory=lambda: {name: name for name in ("database", "computation", "tool")})
    """Names of source kinds, except web pages and documents, whose address tells it."""
    categories: dict[str, str] = field(
        default_factory=lambda: {name: name for name in get_args(SourceCategory) if name != "general"}
    )
    """Names of publisher categories, except the general one."""
    reasons: Mapping[str, str] = field(default_factory=lambda: REASONS)
    """Reasons for an unsupported sentence, by the failed part of the check."""
    judged: Mapping[str, str] = field(default_factory=lambda: JUDGED)
    """Texts for a model's judgement of a sentence, by verdict."""
    judged_inference: Mapping[str, str] = field(default_factory=lambda: JUDGED_INFERENCE)
    """Texts for a model's judgement of an inferred sentence."""
    instead: str = " It gives {instead}."
    """Appended to a reason if the cited text gives another value."""

    def count(self, statements: int) -> str:
        """Return a number of statements in words."""
        return self.statement if statements == 1 else self.statements.format(count=statements)

    def counted(self, statuses: Mapping[Status, int]) -> str:
        """Return in words how many statements have quotes, and how many have each occurring status."""
        count, sure = sum(statuses.values()), sum(statuses.get(status, 0) for status in SURE)
        if not count:
            return self.no_statements
        shown = (self.states[status].format(count=statuses[status]) for status in self.states if statuses.get(status))
        line = self.all_sure if sure == count else self.some_sure
        return line.format(sure=sure, count=count, statements=self.count(count), states=self.comma.join(shown))

    def origin(self, *, by_rules: bool) -> str:
        """Return in words whether a model or rules wrote a report."""
        return self.selected if by_rules else self.generated

    def head(self, answered: Answered, statuses: Mapping[Status, int]) -> str:
        """Return in words whether a report answers its question, and separately how many statements have quotes."""
        return BETWEEN.join(filter(None, [self.answers.get(answered, ""), self.counted(statuses)]))

    def reason(self, verdict: Verdict) -> str:
        """Return in words why a sentence is unsupported; empty if it is supported."""
        what = ", ".join(part if len(part) <= _SHOWN else f"{part[:_SHOWN]}…" for part in verdict.what)
        reason = self.reasons[verdict.fault].format(what=what)
        return reason + self.instead.format(instead=verdict.instead) if verdict.instead else reason
