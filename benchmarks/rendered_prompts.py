"""Rendered prompts, turned back into the prompt models that they were made from.

Stub endpoints get prompts as text, as any endpoint does, and answer by the prompt models: as the offline model does, or as
`stub_answers` says. Of a prompt is read what these answers depend on; the rest has its default.
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from html import unescape
from itertools import accumulate
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from benchmarks.stub_answers import cited, coded, planned, triaged, written
from prompts import template_source
from schemas.coder import CoderPrompt, TableView
from schemas.coordinator import CoordinatorPrompt, Turn
from schemas.evidence_view import EvidenceView, FindingView
from schemas.outline import NodeView
from schemas.planner import PlannerPrompt
from schemas.profile import Profile, Replies, Scope, Topic
from schemas.reflector import ReflectorPrompt
from schemas.reporter import ReporterPrompt
from schemas.researcher import NumberedPassage, ResearcherPrompt
from services.models import offline

_ATTRIBUTE = re.compile(r'(?<![\w-])([\w-]++)="([^"]*)"')
LEAST = 30
"""Characters of a line by which a template is known."""
_TOPIC = re.compile(r"(?m)^(core|edge|outside): (.*?) \(([^()]*)\)$")
_REPLY = re.compile(r"(?m)^reply to (\w+): (.+)$")


class Element(BaseModel):
    """A tag of a prompt: its attributes and what stands inside."""

    body: str = ""
    attributes: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        return self.attributes.get(name, "")

    def all(self, tag: str) -> list["Element"]:
        """Return the elements of a tag, in order."""
        pattern = re.compile(rf'<{tag}((?:\s+[\w-]+="[^"]*")*)>\n?(.*?)\n?</{tag}>', re.DOTALL)
        matches = pattern.finditer(self.body)
        return [Element(body=match[2], attributes=dict(_ATTRIBUTE.findall(match[1]))) for match in matches]

    def first(self, tag: str) -> "Element":
        """Return the first element of a tag, or an empty one."""
        return next(iter(self.all(tag)), Element())


def answer_rendered(role: str, human: str) -> str:
    """Answer the human message of a role's prompt."""
    if role in SILENT:
        return SILENT[role]
    if role in _OF_TEXTS:
        return _OF_TEXTS[role](Element(body=human))
    return _ANSWERS.get(role, offline.answer)(prompt_of(role, human))


def prompt_of(role: str, human: str) -> BaseModel:
    """Return the prompt model of a role's human message.

    Raises:
        LookupError: the role has none.
    """
    text = Element(body=human)
    settings = text.first("settings")
    asked: dict[str, Any] = {"question": text.first("question").body, "locale": settings["locale"]}
    return _BY_ROLE[role](text, settings, asked)


def _evidence(element: Element) -> list[EvidenceView]:
    return [
        EvidenceView(id=excerpt["id"], title=source["title"], quote=excerpt.body)
        for source in element.all("source")
        for excerpt in source.all("excerpt")
    ]


def _findings(text: Element) -> list[FindingView]:
    return [
        FindingView(
            step_id=finding["step"],
            title=finding["title"],
            step_type=finding["type"],
            status=finding["status"],
            attempts=int(finding["attempts"] or 1),
            evidence=_evidence(finding),
        )
        for finding in text.all("finding")
    ]


def _background(text: Element) -> list[EvidenceView]:
    return [excerpt for element in text.all("background") for excerpt in _evidence(element)]


def _outline(text: Element) -> list[NodeView]:
    nodes = text.first("outline").all("node")
    return [NodeView(id=node["id"], title=node["title"], query=node.first("query").body) for node in nodes]


def _coordinator(text: Element, settings: Element, asked: dict[str, Any]) -> CoordinatorPrompt:
    profile = next(iter(text.all("profile")), None)
    return CoordinatorPrompt(
        **asked,
        conversation=[
            Turn(role="assistant" if turn["role"] == "assistant" else "user", text=turn.body)
            for turn in text.all("turn")
        ],
        profile=None if profile is None else _profile(profile),
        known=_evidence(text.first("known")),
        asked_back=text.first("asked_back").body,
    )


def _profile(element: Element) -> Profile:
    topics: dict[str, list[Topic]] = {"core": [], "edge": [], "outside": []}
    for scope, topic, keywords in _TOPIC.findall(element.body):
        topics[scope].append(Topic(topic=topic, keywords=[keyword for keyword in keywords.split(", ") if keyword]))
    return Profile(
        name=unescape(element["name"]),
        description=element.body.split("\ncore: ")[0].split("\nreply to ")[0],
        scope=Scope(**topics),
        replies=Replies(**dict(_REPLY.findall(element.body))),
    )


def _planner(text: Element, settings: Element, asked: dict[str, Any]) -> PlannerPrompt:
    return PlannerPrompt(
        **asked,
        today="",
        max_step_num=int(settings["max_step_num"] or 3),
        background=[],
        feedback=[feedback.body for feedback in text.all("feedback")],
        findings=_findings(text),
        gaps=[gap.body for gap in text.all("gap")],
        tables=[line for line in text.first("tables").body.split("\n") if line],
        tools=[],
        previous_plan="",
        steering=[said.body for said in text.all("steering")],
        undone=[undone.body for undone in text.all("undone")],
        style=settings["style"] or "report",
        outline=_outline(text),
    )


def _researcher(text: Element, settings: Element, asked: dict[str, Any]) -> ResearcherPrompt:
    step = text.first("step")
    return ResearcherPrompt(
        **asked,
        title=step["title"],
        description=step.body.split("\n<query>")[0],
        queries=[],
        feedback="",
        findings=[],
        passages=[_numbered(passage) for passage in text.all("passage")],
    )


def _numbered(passage: Element) -> NumberedPassage:
    """Read the numbered sentences back; headings, which have no number, stand between them."""
    lines = [line.partition("| ") for line in passage.body.split("\n")]
    texts = [text for _, _, text in lines]
    ends = list(accumulate(len(text) + 1 for text in texts))
    places = zip(lines, texts, ends, strict=True)
    return NumberedPassage(
        id=passage["id"],
        content_hash="",
        title=passage["source"],
        start=0,
        end=len(passage.body),
        text="\n".join(texts),
        spans=[(end - len(text) - 1, end - 1) for (number, _, _), text, end in places if number.isdecimal()],
    )


def _coder(text: Element, settings: Element, asked: dict[str, Any]) -> CoderPrompt:
    step = text.first("step")
    tables = [
        TableView(file=table["file"], title=table["title"], sheet=table["sheet"], rows=int(table["rows"]), columns=table.body.splitlines())
        for table in text.all("table")
    ]  # fmt: skip
    return CoderPrompt(
        **asked,
        title=step["title"],
        description=step.body,
        feedback="",
        findings=[],
        tables=tables,
        attempts=[],
    )


def _reflector(text: Element, settings: Element, asked: dict[str, Any]) -> ReflectorPrompt:
    return ReflectorPrompt(
        **asked,
        today="",
        findings=_findings(text),
        background=_background(text),
        plan_iterations=int(settings["plan_iterations"] or 1),
        max_plan_iterations=3,
        max_step_attempts=int(settings["max_step_attempts"] or 2),
    )


def _reporter(text: Element, settings: Element, asked: dict[str, Any]) -> ReporterPrompt:
    return ReporterPrompt(
        **asked,
        today="",
        length=settings["length"] or "standard",
        tone="",
        findings=_findings(text),
        background=_background(text),
        contradictions=[],
        missing_aspects=[],
        draft=text.first("draft").body,
    )


def _section(text: Element) -> str:
    """Write a section: the sentences of its excerpts, each with its citation."""
    return "\n\n".join(cited(excerpt.body, excerpt["id"]) for excerpt in text.all("excerpt"))


def _joining(text: Element) -> str:
    """Open the report with the first paragraph of its sections, and recommend a question."""
    paragraphs = [paragraph.body for paragraph in text.all("paragraph")] or [""]
    question = text.first("question").body
    further = [f"What else is there to know on: {question[:200]}"]
    return json.dumps({"title": question, "summary": paragraphs[0], "follow_up_questions": further})


def _wording(text: Element) -> str:
    return text.first("draft").body


_OF_TEXTS = {"reporter_section": _section, "reporter_joining": _joining, "reporter_wording": _wording}
"""Further roles of the reporter."""
_BY_ROLE = {
    "coordinator": _coordinator,
    "planner": _planner,
    "researcher": _researcher,
    "coder": _coder,
    "reflector": _reflector,
    "reporter": _reporter,
}
_ANSWERS: Mapping[str, Callable[[Any], str]] = {
    "coordinator": triaged,
    "planner": planned,
    "coder": coded,
    "reporter": written,
}
SILENT = {
    "verifier": '{"verdicts": []}',
    "reporter_editing": '{"edits": []}',
    "reporter_sentences": '{"sentences": []}',
    "reporter_slides": '{"pages": []}',
}
"""What is answered in roles that rules do not play: nothing of any sentence."""
ROLES = (*_BY_ROLE, *_OF_TEXTS, *SILENT)
"""Roles whose prompts can be answered."""


def role_of(system: str, others: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the role of a request, of whose template its system message has the most lines; empty where it has none."""
    sources = {role: template_source(role) for role in ROLES} | dict(others)
    hits = {role: sum(line in system for line in _lines(source)) for role, source in sources.items()}
    return max(hits, key=lambda role: hits[role]) if any(hits.values()) else ""


@cache
def _lines(source: str) -> list[str]:
    """Return the lines of a template's system message up to their first variable, where that is far enough to be their own."""
    system = source.partition("{% block system %}\n")[2].partition("{% endblock %}")[0]
    beginnings = (line.partition("{")[0].strip() for line in system.split("\n"))
    return [beginning for beginning in beginnings if len(beginning) >= LEAST]
