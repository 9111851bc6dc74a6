"""The page: `/` and its files in `/page/`, under a policy that permits only these.

The page is a client of the same API as any other; its files hold no data and need no token.
"""

import asyncio
import json
import tomllib
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

import services.reports.html
from services.search.providers import examples_stand_in

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
    text = await asyncio.to_thread(WORDS.read_text, "utf-8")
    script = "".join(
        f"export const {name.upper()} = {json.dumps(value)};\n" for name, value in tomllib.loads(text).items()
    )
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
