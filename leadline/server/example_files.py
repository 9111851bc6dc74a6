"""Public files that come with Leadline: the example documents, listed at `/page/examples`, and the recorded run below `/page/recorded`.

Both are in the package, so they need no token. Everything is shown as plain text or downloaded, but for the recording's own report.
"""

import asyncio
import html
from pathlib import Path
from urllib.parse import quote

from fastapi import APIRouter, HTTPException
from starlette.responses import FileResponse, HTMLResponse

from leadline.server.page import HEADERS
from services.run.installation import EXAMPLES, PROJECT_ROOT
from services.search.providers import EXAMPLE_FOLDERS

example_files = APIRouter(include_in_schema=False)

RECORDING = EXAMPLES / "demo"
_TEXTS = {".md", ".txt", ".csv", ".html", ".jsonl", ".json"}
"""Suffixes of files that are shown as text."""
_REPORT = PROJECT_ROOT / "docs" / "samples" / "report.html"
"""The recording's report as a page, in a checkout; the package has its Markdown."""


@example_files.get("/page/examples")
async def listed() -> HTMLResponse:
    """Return a page with links to all example documents."""
    return HTMLResponse(await asyncio.to_thread(_page), headers=HEADERS)


@example_files.get("/page/examples/{folder}/{name}")
async def document(folder: str, name: str) -> FileResponse:
    """Return an example document: 404 where there is none of this name."""
    files = await asyncio.to_thread(_files)
    if (file := files.get((folder, name))) is None:
        raise HTTPException(404, "There is no such example document.")
    return _sent(file)


@example_files.get("/page/recorded/{name}")
async def recorded(name: str) -> FileResponse:
    """Return a file of the recorded run: `events.jsonl`, `about.json`, or `report`."""
    if name in {"events.jsonl", "about.json"}:
        return _sent(RECORDING / name)
    if name != "report":
        raise HTTPException(404, "The recorded run has no such file.")
    if await asyncio.to_thread(_REPORT.is_file):
        return FileResponse(_REPORT, headers={"X-Content-Type-Options": "nosniff"})
    [report] = await asyncio.to_thread(lambda: list(RECORDING.glob("*/report.md")))
    return _sent(report)


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


def _page() -> str:
    folders: dict[str, list[str]] = {}
    for folder, name in _files():
        folders.setdefault(folder, []).append(
            f'<li><a href="/page/examples/{quote(folder)}/{quote(name)}">{html.escape(name)}</a></li>'
        )
    lists = "".join(f"<h2>{html.escape(folder)}</h2><ul>{''.join(items)}</ul>" for folder, items in folders.items())
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        '<title>Example documents · 示例文档</title><link rel="icon" href="/page/icon.svg"><link rel="stylesheet" href="/page/tokens.css">'
        '<link rel="stylesheet" href="/page/layout.css"><link rel="stylesheet" href="/page/parts.css"></head>'
        f"<body><main><h1>Example documents · 示例文档</h1>{lists}</main></body></html>"
    )
