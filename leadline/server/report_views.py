"""A thread's reports as our page shows them: their bodies as sanitised HTML, their versions, and the turns that a thread has had.

    GET /reports/<thread>/view.json          the latest report; here and below `?checkpoint=` is that of one turn, `?version=` one version of it
    GET /reports/<thread>/turns.json         the earlier turns: question, title, and the checkpoint that holds the report
    GET /reports/<thread>/versions.json      number, request and time of each version, the first one first
    GET /reports/<thread>/difference.json    `?before=1&after=2`: the sentences of both, each as same, removed or added

A model's Markdown is rendered here and nowhere else, by the same code that makes `report.html`.
"""

import asyncio
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from langgraph_sdk.client import LangGraphClient
from pydantic import BaseModel

from leadline.server.api_client import api_of, store_of
from leadline.server.threads import OwnThread, question_states, standing_state, standing_values, values_of
from schemas.evidence import Answered, Status, status_counts
from schemas.reporter import Report
from schemas.revision import Version
from services.reports.charts.diagrams import with_pictures
from services.reports.editing import headings_of
from services.reports.html.page import render_fragment
from services.reports.numbered_text import Sentence, compared
from services.reports.parser import parse_report
from services.reports.statuses import sure_claims
from services.turn.agent_inbox import PLANNER
from services.turn.thread_data import all_versions

views = APIRouter()
NO_REPORT = "This thread has no report yet. A run writes one at its end; if it waits for a review of its plan, answer that first."


class VersionView(BaseModel):
    """A version, without its report."""

    number: int
    request: str
    created: str


@views.get("/reports/{thread_id}/versions.json")
async def version_list(thread: OwnThread, request: Request, checkpoint: str | None = None) -> list[VersionView]:
    """List the versions of a thread's report: 404 where there is none."""
    client = api_of(request)
    stored_versions = await versions_of_thread(client, thread, await standing_values(client, thread, checkpoint))
    return [VersionView(**version.model_dump(exclude={"report"})) for version in stored_versions]


@views.get("/reports/{thread_id}/difference.json")
async def difference_view(
    thread: OwnThread, request: Request, before: int, after: int, checkpoint: str | None = None
) -> list[Sentence]:
    """Return what two versions differ in: 404 where there is no such version."""
    client = api_of(request)
    values = await standing_values(client, thread, checkpoint)
    first, second = [await report_version(client, thread, values, number) for number in (before, after)]
    return await asyncio.to_thread(compared, first, second)


async def versions_of_thread(client: LangGraphClient, thread: str, values: dict[str, Any]) -> list[Version]:
    """Return all versions of the report in a thread's values: 404 if there is none."""
    if not values.get("report"):
        raise HTTPException(404, NO_REPORT)
    report = Report.model_validate(values["report"])
    return await all_versions(store_of(client), thread, int(values["turn"]), report)


async def report_version(client: LangGraphClient, thread: str, values: dict[str, Any], number: int | None) -> Report:
    """Return a version of the report in a thread's values, by default the latest: 404 if it does not exist."""
    if number is None and values.get("report"):
        return Report.model_validate(values["report"])
    stored_versions = await versions_of_thread(client, thread, values)
    wanted = next((version.report for version in stored_versions if version.number == number), None)
    if wanted is None:
        raise HTTPException(404, f"This report has no version {number}; it has {len(stored_versions)}.")
    return wanted


class ReportView(BaseModel):
    """A report, ready to be shown."""

    title: str
    locale: str
    html: str
    """The report's body, sanitised; its styles are `/page/report.css` and `/page/tokens.css`."""
    claims: int
    verified: int
    sure: int
    """Statements that are quoted or supported."""
    statuses: dict[Status, int]
    """Statements by status, those that occur."""
    answered: Answered
    """Whether the report answers its question; empty in reports of earlier versions."""
    sources: int
    """Cited sources."""
    follow_up_questions: list[str]
    version: int
    checkpoint: str
    """That holds the report, also when the thread has further turns."""
    headings: list[str]
    """Of the report's own sections."""


class TurnView(BaseModel):
    """An earlier turn of a thread."""

    question: str
    title: str = ""
    """Of its report; empty where there is none."""
    reply: str = ""
    """What was answered without research."""
    checkpoint: str


@views.get("/reports/{thread_id}/view.json")
async def report_view(
    thread: OwnThread, request: Request, checkpoint: str | None = None, version: int | None = None
) -> ReportView:
    """Return a thread's report as HTML: 404 where there is none."""
    client = api_of(request)
    state = await standing_state(client, thread, checkpoint)
    report = await report_version(client, thread, values_of(state), version)
    parsed = await with_pictures(await asyncio.to_thread(parse_report, report))
    return ReportView(
        title=report.title,
        locale=report.locale,
        html=await asyncio.to_thread(render_fragment, parsed),
        claims=len(report.citations),
        verified=sum(claim.verified for claim in report.citations),
        sure=sure_claims(report.citations),
        statuses=status_counts(report.citations),
        answered=report.answered,
        sources=len(parsed.cited),
        follow_up_questions=report.follow_up_questions,
        version=report.version,
        checkpoint=state["checkpoint"]["checkpoint_id"],
        headings=headings_of(report.document.body if report.document else ()),
    )


@views.get("/reports/{thread_id}/turns.json")
async def turns(thread: OwnThread, request: Request) -> list[TurnView]:
    """Return the turns before the present one, the oldest first: the state that each new question found, if there was a turn."""
    found = reversed(await question_states(api_of(request), thread))
    views = [_turn(values_of(state), state["checkpoint"]["checkpoint_id"]) for state in found]
    return [view for view in views if view.question or view.reply]


def _turn(values: dict[str, Any], checkpoint: str) -> TurnView:
    report, revision = values.get("report"), values.get("revision") or {}
    replies = [
        message
        for message in values.get("messages", [])
        if message.get("type") == "ai" and message.get("name") != PLANNER
    ]
    reply = str(replies[-1].get("content", "")) if replies and not report else ""
    return TurnView(
        question=str(revision["request"] if revision.get("by_message") else values.get("question", "")),
        title=report["title"] if report else "",
        reply=reply,
        checkpoint=checkpoint,
    )
