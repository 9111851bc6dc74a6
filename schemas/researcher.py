"""The researcher's call: which numbered sentences answer a step, what they come to, what is missing and what to look for next."""

import re
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, Field, create_model, field_validator
from pydantic.json_schema import SkipJsonSchema

from schemas.answer_schema import AtMost, Form, Reason
from schemas.evidence import Passage, Relevance
from schemas.evidence_view import FindingView
from schemas.outline import OutlineNode

MOST_REFERENCES, MOST_WIDE = 40, 120
"""Of one relevance, in one answer; and where breadth matters more than cost, so that a prompt shows more passages."""
MOST_QUERIES = 4
MOST_READ_ON = 4
"""Requests to read on in one answer."""
MOST_WITHDRAWN = 20
MOST_SECTIONS, LONGEST_SERVED = 20, 400
"""Lines that say which passages serve a section, in one answer, and characters of one."""
LONGEST_REFERENCE = 24
"""Characters."""
LONGEST_REQUEST = 120
"""Characters of a request to read on."""


class NumberedPassage(Passage):
    """A passage whose sentences, or rows of a table, are numbered from 1, so that an answer can name them."""

    spans: list[tuple[int, int]] = Field(default_factory=list)
    """Of its sentences in order: each is `text[start:end]`."""
    code: list[int] = Field(default_factory=list)
    """Places of those that are code."""

    @property
    def sentences(self) -> list[str]:
        """Its sentences, each on one line."""
        return [" ".join(self.text[start:end].split()) for start, end in self.spans]

    @property
    def headings(self) -> str:
        """What stands above its sentences: headings, but for the title of its source, and the heads of tables."""
        ends = [0, *(end for _, end in self.spans)]
        between = [
            line for end, (start, _) in zip(ends, self.spans, strict=False) for line in self._headings(end, start)
        ]
        return " ".join([self.section, self.above, *(line for line in between if line.lstrip("# |") != self.title)])

    @property
    def lines(self) -> list[str]:
        """Its sentences with their numbers, each below the headings before it, which have none: `#| Results`; code with its lines."""
        shown: list[str] = []
        headings = [f"#| {self.above}"] if self.above else []
        before = 0
        for place, ((start, end), sentence) in enumerate(zip(self.spans, self.sentences, strict=True)):
            words = self.text[start:end].replace("\n", "\n | ") if place in self.code else sentence
            shown.append("\n".join([*headings, *self._headings(before, start), f"{place + 1}| {words}"]))
            headings, before = [], end
        if shown:
            shown[-1] = "\n".join([shown[-1], *self._headings(before, len(self.text))])
        return shown

    def _headings(self, start: int, end: int) -> list[str]:
        """Return the lines between two sentences that hold words."""
        lines = (" ".join(line.split()) for line in self.text[start:end].splitlines())
        return [f"#| {line}" for line in lines if any(map(str.isalnum, line))]


class ResearcherPrompt(BaseModel):
    """Variables of `prompts/researcher.md`."""

    question: str
    locale: str
    title: str
    description: str
    queries: list[str]
    feedback: str
    """The reflector's feedback on an earlier attempt; empty at the first."""
    findings: list[FindingView]
    """Findings of the steps this one depends on."""
    so_far: list[str] = Field(default_factory=list)
    """What earlier rounds of this step found, by sentences, which the prompt numbers from 1."""
    missing: list[str] = Field(default_factory=list)
    """What the last round missed; its queries are then those of this round."""
    sections: list[OutlineNode] = Field(default_factory=list)
    """Nodes of the report's outline, which passages may serve; empty where there is none."""
    passages: list[NumberedPassage]
    """Those of this round: what earlier rounds were shown is not shown again."""
    contents: dict[str, str] = Field(default_factory=dict)
    """Names of the sections of sources, by the id of their first passage, where more rounds may read them."""
    rounds_left: int = 0
    """Rounds of search that may follow."""
    wide: bool = False
    """Whether breadth matters more than cost."""
    with_tools: bool = False
    """Whether the step is a loop of tool calls instead of one answer."""


_NEXT = re.compile(r"[,;，；、]\s{0,3}(?=\w{1,12}[:：])")
"""Parts references to several passages."""
_NODE = re.compile(r"\W{0,3}(\d{1,3}(?:\.\d{1,3}){0,4})")
_PASSAGE = re.compile(r"\b[Pp]\d{1,3}\b")
Reference = Annotated[str, AtMost(LONGEST_REFERENCE), Form("^P[0-9]{1,3}:[0-9]{1,3}(-[0-9]{1,3})?$")]
"""Sentences of one passage: `P3:2`, `P3:2-4`."""
References = Annotated[list[Reference], AtMost(MOST_REFERENCES)]


class Findings(BaseModel):
    """The researcher's answer. It copies no text: quotes are the stored text of the sentences that it names."""

    high: References = Field(default_factory=list, description="Sentences that answer the step: P3:2 or P3:2-4.")
    medium: References = Field(default_factory=list, description="Sentences that are part of the answer, or context.")
    low: SkipJsonSchema[list[str]] = Field(default_factory=list)
    """Sentences that are related, where breadth matters."""
    finding: Annotated[str, AtMost(1_600)] = ""
    """What answers the step, from these passages; they are added to those of earlier rounds."""
    withdrawn: SkipJsonSchema[list[int]] = Field(default_factory=list)
    """Numbers of sentences of earlier rounds that no longer hold."""
    missing_aspects: Annotated[list[Reason], AtMost(6)] = Field(default_factory=list)
    queries: SkipJsonSchema[list[str]] = Field(default_factory=list)
    """What to search for next; empty where nothing is missing."""
    read_on: SkipJsonSchema[list[str]] = Field(default_factory=list)
    """Passages whose surroundings the next round shows: `P3` for what follows, `before P3` for what stands before, `P3: Drawbacks` for a section of its source."""
    sections: SkipJsonSchema[list[str]] = Field(default_factory=list)
    """Which passages serve which node of the outline: `2: P1 P4`."""
    confidence: float = Field(default=0.0, ge=0, le=1)
    """How well the evidence answers the step."""

    @field_validator("read_on", "sections", mode="before")
    @classmethod
    def _as_list(cls, value: Any) -> Any:
        """Take a single line for a list of it, and lists by the names of sections for a line each."""
        return [
            line
            for item in (value if isinstance(value, list) else [value] if value else [])
            for line in (
                (f"{key}: {' '.join(map(str, held)) if isinstance(held, list) else held}" for key, held in item.items())
                if isinstance(item, dict)
                else [item]
            )
        ]

    @field_validator("high", "medium", "low", mode="before")
    @classmethod
    def _as_references(cls, value: Any) -> Any:
        """Accept a single reference as a list, and split one that is too long before the next passage that it names."""
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list):
            return listed
        too_long = [isinstance(reference, str) and len(reference) > LONGEST_REFERENCE for reference in listed]
        return [
            part
            for reference, cut in zip(listed, too_long, strict=True)
            for part in (_NEXT.split(reference) if cut else [reference])
        ]

    @property
    def nodes(self) -> dict[str, list[str]]:
        """Ids of nodes by the ids of the passages that serve them, in small letters."""
        served: dict[str, list[str]] = {}
        for line in self.sections:
            if node := _NODE.match(line):
                for passage in _PASSAGE.findall(line, node.end()):
                    served.setdefault(passage.casefold(), []).append(node[1])
        return served

    @property
    def references(self) -> list[tuple[str, Relevance]]:
        """What it names, the most relevant first."""
        ranked: list[tuple[Relevance, list[str]]] = [("high", self.high), ("medium", self.medium), ("low", self.low)]
        return [(reference, relevance) for relevance, references in ranked for reference in references]


_QUERIES: Any = (Annotated[list[Reason], AtMost(MOST_QUERIES)], Field(default_factory=list))
_READ_ON: Any = (
    Annotated[
        list[Annotated[str, AtMost(LONGEST_REQUEST), Form("^(before )?P[0-9]{1,3}(: .{2,100})?$")]],
        AtMost(MOST_READ_ON),
    ],
    Field(default_factory=list),
)
_SECTIONS: Any = (
    Annotated[
        list[Annotated[str, AtMost(LONGEST_SERVED), Form("^[0-9.]{1,12}:( P[0-9]{1,3}){1,90}$")]], AtMost(MOST_SECTIONS)
    ],
    Field(default_factory=list),
)
_WITHDRAWN: Any = (Annotated[list[int], AtMost(MOST_WITHDRAWN)], Field(default_factory=list))
_WIDE: Any = (Annotated[list[Reference], AtMost(MOST_WIDE)], Field(default_factory=list))
_MANY: dict[str, Any] = {"high": _WIDE, "medium": _WIDE, "low": _WIDE}


@cache
def _schema(wide: bool, again: bool, more: bool, outlined: bool) -> type[Findings]:
    return create_model(
        "Findings",
        __base__=Findings,
        __doc__=Findings.__doc__,
        **(_MANY if wide else {}),
        **({"withdrawn": _WITHDRAWN} if again else {}),
        **({"queries": _QUERIES, "read_on": _READ_ON} if more else {}),
        **({"sections": _SECTIONS} if outlined else {}),
    )


def findings_schema(prompt: ResearcherPrompt) -> type[Findings]:
    """Return what a prompt asks for: the next queries only where a round may follow, sections only of an outline, more references for breadth."""
    return _schema(prompt.wide, bool(prompt.so_far), prompt.rounds_left > 0, bool(prompt.sections))
