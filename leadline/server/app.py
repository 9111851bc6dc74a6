"""Routes beside the API: our page at `/`, attachments, and under `/reports/<thread>/` a report's files in every format.

    GET /reports/<thread>/report.html     and report.md, slides.html, report.pptx, report.docx, report.pdf
    GET /reports/<thread>/references.json  in CSL-JSON
    GET /reports/<thread>/evidence.json   and sources/…, artifacts/…, as a report's folder has them
    GET /reports/<thread>/report.zip      all files of that folder, which `leadline verify` checks

It is the thread's latest report, or with `?version=` an earlier version of it, with `?checkpoint=` that of an earlier turn: a turn that was answered without research leaves it standing.

Formats are made when they are asked for. Everything comes through the server's own API, so it is the same on any server.
Runs are steered at `/steering/<thread>`; what is remembered of reports is at `/memory`, and
the model that the page connects at `/model`.
"""

import asyncio
import io
import mimetypes
import zipfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import JSONResponse
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError

from leadline.server.access import AccessCheck, is_internal
from leadline.server.api_client import api_of, store_of
from leadline.server.attachments import attachments, remove_abandoned
from leadline.server.auth import RULES
from leadline.server.memory_routes import memory
from leadline.server.model_connection import model_connection
from leadline.server.offers import offers
from leadline.server.page import PAGE, PageFiles, page
from leadline.server.report_views import report_version, views
from leadline.server.server_guards import BodyDeadline, guard_webhooks
from leadline.server.steering_routes import steering
from leadline.server.thread_deletion import ThreadDeletion
from leadline.server.thread_owners import restore_threads
from leadline.server.threads import OwnThread, standing_values
from schemas.evidence import Source
from schemas.options import OutputFormat
from services.reports.bundle import bundle_files
from services.reports.bundle_files import unpacked
from services.reports.formats import FORMATS, render
from services.reports.references import name_of
from services.run.errors import SettingsError, StoreError, StoreUnwritable
from services.run.evidence_store import EvidenceStore


@asynccontextmanager
async def started(_: FastAPI) -> AsyncIterator[None]:
    """Restore the list of threads when the server starts, and delete what was attached to none of them."""
    async with get_client() as client:
        await restore_threads(client)
        await remove_abandoned(client)
    yield


app = FastAPI(title="Leadline", docs_url=None, redoc_url=None, openapi_url=None, lifespan=started)
for router in (page, attachments, views, offers, steering, memory, model_connection):
    app.include_router(router)
app.mount("/page", PageFiles(directory=PAGE))
app.add_middleware(ThreadDeletion)
app.add_middleware(BodyDeadline)
app.add_middleware(AccessCheck, rules=RULES)  # the server puts it before all of its own routes
guard_webhooks()

mimetypes.init()  # reads the system's file types once, before the event loop runs
_BY_FILE: Mapping[str, OutputFormat] = {format_.file: name for name, format_ in FORMATS.items() if name != "md"}
_TYPES = {"references.json": "application/vnd.citationstyles.csl+json"}
_ALL = "report.zip"
"""All files of a report's folder in one."""
_SHOWN = {".html": "text/html", ".md": "text/markdown", ".json": "application/json", ".txt": "text/plain"}
"""Suffixes of files that browsers show; others are downloaded."""


@app.api_route("/reports/{thread_id}/{name:path}", methods=["GET", "HEAD"])
async def report_file(
    thread: OwnThread,
    name: str,
    request: Request,
    version: int | None = None,
    checkpoint: str | None = None,
) -> Response:
    """Return a file of a thread's report: 404 where there is none, 501 where its format needs something to be installed."""
    client = api_of(request)
    values = await standing_values(client, thread, checkpoint)
    try:
        report = await report_version(client, thread, values, version)
    except HTTPException:
        if text := await _earlier_source(client, values, name):
            return _response(name, text)
        raise
    if name in _BY_FILE:
        try:
            [data] = (await render(report, [_BY_FILE[name]])).values()
        except SettingsError as error:
            raise HTTPException(501, str(error)) from None
        return _response(name, data)
    try:
        files = await bundle_files(report, EvidenceStore(store_of(client)))
    except StoreError as error:
        raise HTTPException(404, str(error)) from None
    if name == _ALL:
        return _response(name, await asyncio.to_thread(_zipped, files))
    if packed := files.get(f"{name}.gz"):
        return _response(name, unpacked(f"{name}.gz", packed))
    if name not in files and (text := await _earlier_source(client, values, name)):
        return _response(name, text)
    if name not in files:
        raise HTTPException(404, f"This report has no file {name!r}. It has: {', '.join([*files, _ALL, *_BY_FILE])}.")
    return _response(name, files[name])


@app.exception_handler(NotFoundError)
async def gone_meanwhile(_: Request, error: NotFoundError) -> JSONResponse:
    """Answer 404 where a thread was deleted after the check that it is there."""
    return JSONResponse({"detail": "There is no such thread."}, 404)


@app.exception_handler(StoreUnwritable)
async def no_room(request: Request, error: StoreUnwritable) -> JSONResponse:
    """Answer 507 where the disk is full or read-only, in the words for users of the server."""
    if is_internal(request.scope):  # the server's own call to its store: the request that made it is answered
        raise error
    return JSONResponse({"detail": str(StoreUnwritable(error.what, error.why))}, 507)


async def _earlier_source(client: LangGraphClient, values: dict[str, Any], name: str) -> bytes:
    """Return a text quoted in an earlier turn, whose report is still in the conversation, under another number or by its hash."""
    folder, _, file = name.removesuffix(".txt").partition("/")
    sources = {
        key: Source.model_validate(fields)
        for key, fields in ((values.get("former") or {}).get("sources") or {}).items()
    }
    slug = file.partition("-")[2]
    key = next((key for key, source in sources.items() if file == key or (slug and slug == name_of(source))), "")
    if folder != "sources" or not key:
        return b""
    try:
        return (await EvidenceStore(store_of(client)).get_text(key)).encode()
    except StoreError as error:
        raise HTTPException(404, str(error)) from None


def _zipped(files: Mapping[str, bytes]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return written.getvalue()


def _response(name: str, data: bytes) -> Response:
    suffix = name[name.rindex(".") :] if "." in name else ""
    shown = not name.startswith("artifacts/") and suffix in _SHOWN and name not in _TYPES
    guessed, packing = (_TYPES[name], None) if name in _TYPES else mimetypes.guess_type(name)
    media_type = _SHOWN[suffix] if shown else (guessed if guessed and not packing else "application/octet-stream")
    headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}
    if not shown:
        headers["Content-Disposition"] = "attachment"
    return Response(data, media_type=media_type, headers=headers)
