"""Reading a rendered prompt back: its tags, their attributes and what stands between them."""

import re
from dataclasses import dataclass, field

_ATTRIBUTE = re.compile(r'(?<![\w-])([\w-]++)="([^"]*)"')
LONGEST_QUESTION = 2_000
"""Characters of a question: what it asks is found by many patterns, some of which try every two places in it."""


@dataclass(frozen=True, slots=True)
class Element:
    """One tag of a prompt."""

    body: str
    attributes: dict[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> str:
        return self.attributes.get(name, "")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A human message, or a part of one."""

    text: str

    def all(self, tag: str) -> list[Element]:
        """Return the elements of a tag, in order."""
        pattern = re.compile(rf'<{tag}((?:\s+[\w-]+="[^"]*")*)>\n?(.*?)\n?</{tag}>', re.DOTALL)
        return [
            Element(found.group(2), dict(_ATTRIBUTE.findall(found.group(1)))) for found in pattern.finditer(self.text)
        ]

    def one(self, tag: str) -> Element:
        """Return the first element of a tag, or an empty one."""
        return next(iter(self.all(tag)), Element(""))

    @property
    def question(self) -> str:
        """The question, as far as it is worked on."""
        return self.full_question[:LONGEST_QUESTION]

    @property
    def full_question(self) -> str:
        """The question, however long."""
        return " ".join(self.one("question").body.split())

    @property
    def settings(self) -> Element:
        """The run's settings."""
        return self.one("settings")

    @property
    def chinese(self) -> bool:
        """True when the answer is wanted in Chinese."""
        return self.settings["locale"].lower().startswith(("zh", "yue"))


@dataclass(frozen=True, slots=True)
class Evidence:
    """An excerpt that a prompt shows."""

    id: str
    source: str
    kind: str
    quote: str
    step: str
    relevance: str = "medium"


@dataclass(frozen=True, slots=True)
class Finding:
    """A step that a prompt shows."""

    step: str
    title: str
    type: str
    status: str
    attempts: int
    text: str
    evidence: tuple[Evidence, ...]


def findings_of(prompt: Prompt) -> list[Finding]:
    """Return the findings of a prompt with their excerpts."""
    return [
        Finding(
            element["step"],
            element["title"],
            element["type"],
            element["status"],
            int(element["attempts"] or 1),
            re.split(r"\n<(?:missing|excerpt)\b", f"\n{element.body}", maxsplit=1)[0].strip(),
            tuple(evidence_of(Prompt(element.body), element["step"])),
        )
        for element in prompt.all("finding")
    ]


def evidence_of(prompt: Prompt, step: str = "") -> list[Evidence]:
    """Return the excerpts of a prompt."""
    return [
        Evidence(
            one["id"],
            one["source"],
            one.attributes.get("kind", "document"),
            one.body,
            step,
            one.attributes.get("relevance", "medium"),
        )
        for one in prompt.all("excerpt")
    ]
