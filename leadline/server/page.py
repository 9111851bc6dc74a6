"""The page: `/` and its files in `/page/`, under a policy that permits only these.

The page is a client of the same API as any other; its files hold no data and need no token.
"""

import asyncio
import html
import json
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, HTTPException
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.staticfiles import StaticFiles

import services.reports.html
from services.reports.bundle_files import read_report
from services.reports.formats import render
from services.run.installation import EXAMPLES
from services.run.ui_text import MESSAGES
from services.search.providers import EXAMPLE_FOLDERS, examples_stand_in

PAGE = Path(__file__).parent / "pages"
WORDS = Path(__file__).with_name("page_words.toml")
"""What the page says, in English and Chinese side by side."""
STYLES = Path(services.reports.html.__file__).parent
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types leadline-report",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",  # revalidated each time, and answered with 304
}
"""HTML is built from a string in a single place (`report.js`, from sanitised HTML); the browser refuses it elsewhere."""

page = APIRouter(include_in_schema=False)

RECORDING = EXAMPLES / "demo"
_TEXTS = {".md", ".txt", ".csv", ".html", ".jsonl", ".json"}
"""Suffixes of files that are shown as text."""


@page.get("/")
async def index() -> FileResponse:
    """Return the page itself."""
    return FileResponse(PAGE / "index.html", headers=HEADERS)


@page.get("/page/tokens.css")
async def tokens() -> FileResponse:
    """Return the colours and fonts that page and reports share."""
    return FileResponse(STYLES / "tokens.css", headers=HEADERS)


@page.get("/page/report.css")
async def report_styles() -> FileResponse:
    """Return the styles of a report."""
    return FileResponse(STYLES / "page.css", headers=HEADERS)


@page.get("/page/all-words.js")
async def words() -> Response:
    """Return what the page says, as a script that its own scripts import."""
    texts = tomllib.loads(await asyncio.to_thread(WORDS.read_text, "utf-8"))
    texts["words"] |= {key: message for key, message in MESSAGES.items() if key.startswith(("call_", "again_"))}
    script = "".join(f"export const {name.upper()} = {json.dumps(value)};\n" for name, value in texts.items())
    return Response(script, media_type="text/javascript", headers=HEADERS)


@page.get("/page/beginning.json")
async def beginning() -> dict[str, bool]:
    """Say what an empty page needs to know: whether the example documents are searched, so that it can suggest questions."""
    return {"examples": await asyncio.to_thread(examples_stand_in)}


class PageFiles(StaticFiles):
    """The page's scripts, styles and pictures."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """Return a file with the page's policy."""
        response = super().file_response(*args, **kwargs)
        response.headers.update(HEADERS)
        return response


@page.get("/page/examples")
async def listed() -> HTMLResponse:
    """Return a page with links to all example documents."""
    return HTMLResponse(await asyncio.to_thread(_examples_page), headers=HEADERS)


@page.get("/page/examples/{folder}/{name}")
async def document(folder: str, name: str) -> FileResponse:
    """Return an example document: 404 where there is none of this name."""
    files = await asyncio.to_thread(_files)
    if (file := files.get((folder, name))) is None:
        raise HTTPException(404, "There is no such example document.")
    return _sent(file)


@page.get("/page/recorded/{name}")
async def recorded(name: str) -> Response:
    """Return a file of the recorded run: `events.jsonl`, `about.json`, or `report`, its report as a page."""
    if name in {"events.jsonl", "about.json"}:
        return _sent(RECORDING / name)
    if name != "report":
        raise HTTPException(404, "The recorded run has no such file.")
    report = await asyncio.to_thread(lambda: read_report(next(RECORDING.glob("*/"))))
    [shown] = (await render(report, ["html"])).values()
    return HTMLResponse(shown, headers={"X-Content-Type-Options": "nosniff"})


def _sent(file: Path) -> FileResponse:
    kind = "text/plain; charset=utf-8" if file.suffix in _TEXTS else "application/octet-stream"
    return FileResponse(file, media_type=kind, headers=HEADERS)


def _files() -> dict[tuple[str, str], Path]:
    return {
        (folder.name, file.name): file
        for folder in EXAMPLE_FOLDERS
        for file in sorted(folder.iterdir())
        if file.is_file()
    }


def _examples_page() -> str:
    folders: dict[str, list[str]] = {}
    for folder, name in _files():
        folders.setdefault(folder, []).append(
            f'<li><a href="examples/{quote(folder)}/{quote(name)}">{html.escape(name)}</a></li>'
        )
    lists = "".join(f"<h2>{html.escape(folder)}</h2><ul>{''.join(items)}</ul>" for folder, items in folders.items())
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        '<title>Example documents · 示例文档</title><link rel="icon" href="icon.svg"><link rel="stylesheet" href="tokens.css">'
        '<link rel="stylesheet" href="layout.css"><link rel="stylesheet" href="parts.css"></head>'
        f"<body><main><h1>Example documents · 示例文档</h1>{lists}</main></body></html>"
    )
