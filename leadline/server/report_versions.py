"""Versions of a thread's report, and what two of them differ in.

    GET /reports/<thread>/versions.json      number, request and time of each, the first one first
    GET /reports/<thread>/difference.json    `?before=1&after=2`: the sentences of both, each as same, removed or added

Each version is had by `?version=` behind `view.json` and behind the files of a report.
"""

import asyncio
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from langgraph_sdk.client import LangGraphClient
from pydantic import BaseModel

from leadline.server.api_client import api_of, store_of
from leadline.server.own_threads import OwnThread
from leadline.server.thread_values import standing_values
from schemas.reporter import Report
from schemas.revision import Version
from services.reports.numbered_text import Sentence, compared
from services.turn.thread_data import kept_versions

versions = APIRouter()
NO_REPORT = "This thread has no report yet. Wait for its run to end."


class VersionView(BaseModel):
    """A version, without its report."""

    number: int
    request: str
    created: str


@versions.get("/reports/{thread_id}/versions.json")
async def version_list(thread: OwnThread, request: Request) -> list[VersionView]:
    """List the versions of a thread's report: 404 where there is none."""
    client = api_of(request)
    found = await versions_found(client, thread, await standing_values(client, thread))
    return [VersionView(**version.model_dump(exclude={"report"})) for version in found]


@versions.get("/reports/{thread_id}/difference.json")
async def difference_view(thread: OwnThread, request: Request, before: int, after: int) -> list[Sentence]:
    """Return what two versions differ in: 404 where there is no such version."""
    client = api_of(request)
    values = await standing_values(client, thread)
    first, second = [await report_version(client, thread, values, number) for number in (before, after)]
    return await asyncio.to_thread(compared, first, second)


async def versions_found(client: LangGraphClient, thread: str, values: dict[str, Any]) -> list[Version]:
    """Return all versions of the report in a thread's values: 404 if there is none."""
    if not values.get("report"):
        raise HTTPException(404, NO_REPORT)
    report = Report.model_validate(values["report"])
    return await kept_versions(store_of(client), thread, int(values["turn"]), report)


async def report_version(client: LangGraphClient, thread: str, values: dict[str, Any], number: int | None) -> Report:
    """Return a version of the report in a thread's values, by default the latest: 404 if it does not exist."""
    if number is None and values.get("report"):
        return Report.model_validate(values["report"])
    found = await versions_found(client, thread, values)
    wanted = next((version.report for version in found if version.number == number), None)
    if wanted is None:
        raise HTTPException(404, f"This report has no version {number}; it has {len(found)}.")
    return wanted
