"""A reader that the operator runs: it opens a page in a browser of its own and answers with what the page then holds.

Two protocols are spoken, told apart by the end of LEADLINE_READER_URL: `…/crawl` is crawl4ai's and `…/scrape` Firecrawl's (its
versions 1 and 2). The reader makes connections of its own, which no guard of ours sees: it only gets addresses that the guard has
passed, and never one of a private host.
"""

import asyncio
import json
import re
import ssl
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from schemas.clean_text import clean_address, clean_line
from services.run.errors import PageError, SettingsError
from services.search.pages.addresses import Target
from services.search.pages.decompression import ACCEPTED, decoder_for, pieces
from services.search.pages.fetch import tls_context
from services.search.pages.limits import Limits

_KEY = re.compile(r"[\x21-\x7e]{1,2000}")
_OVERHEAD = 1.2
"""How much longer an answer is than the page in it: quotation marks and line breaks are escaped, and facts stand beside it."""
_LONGEST_REASON = 160
_STATUS = {
    401: "it refused the key: check LEADLINE_READER_KEY",
    402: "its account has no credit left",
    403: "it refused the key or the page: check LEADLINE_READER_KEY",
    404: "it has no such path: check LEADLINE_READER_URL",
    405: "it has no such path: check LEADLINE_READER_URL",
    422: "it does not take requests of this form: check LEADLINE_READER_URL",
    429: "it has too much to do",
}


@dataclass(frozen=True, slots=True)
class ReaderEndpoint:
    """Where the reader is and what it is asked; nothing is sent before `render`."""

    address: str
    protocol: str
    """`crawl4ai` or `firecrawl`."""
    key: str = ""

    @classmethod
    def of(cls, address: str, key: str = "") -> "ReaderEndpoint":
        """Read the operator's settings.

        Raises:
            SettingsError: the address is none, or none of a protocol that is spoken; or the key is none.
        """
        path = urlsplit(address).path.rstrip("/") if clean_address(address) else ""
        protocol = {"crawl": "crawl4ai", "scrape": "firecrawl"}.get(path.rpartition("/")[2], "")
        if not protocol:
            raise SettingsError(
                "LEADLINE_READER_URL cannot be used. Write the whole address that is called: "
                "http://127.0.0.1:11235/crawl for crawl4ai, http://127.0.0.1:3002/v2/scrape for Firecrawl."
            )
        if key and not _KEY.fullmatch(key):
            raise SettingsError("LEADLINE_READER_KEY holds no key: there are blanks or other characters in it.")
        return cls(address, protocol, key)

    async def render(self, target: Target, limits: Limits, tls: ssl.SSLContext | None = None) -> bytes:
        """Have a page rendered, and return its HTML in UTF-8.

        Args:
            target: passed by the guard.
            limits: seconds and bytes, as of a page that is fetched.
            tls: verifies the reader's certificate; by default with the usual authorities.

        Raises:
            PageError: the reader failed, or did not render the page; the message is a part of a sentence.
        """
        try:
            async with asyncio.timeout(limits.seconds):
                verified = await asyncio.to_thread(tls_context) if tls is None else tls
                status, body = await self._ask(target, limits, verified)
        except (TimeoutError, httpx.TimeoutException):
            raise self._failed("it did not answer in time") from None
        except (httpx.HTTPError, httpx.InvalidURL):
            raise self._failed("it was not reached") from None
        if status >= 300:
            words = _STATUS.get(status, "it failed" if status >= 500 else "it does not do what was asked")
            raise self._failed(f"{words} (HTTP {status})")
        return (await asyncio.to_thread(self._page_of, body)).encode("utf-8", "replace")

    async def _ask(self, target: Target, limits: Limits, tls: ssl.SSLContext) -> tuple[int, bytes]:
        """Send the request and take its answer in; no redirect is followed and no proxy is used."""
        milliseconds = round(limits.seconds * 900)
        body: dict[str, Any] = (
            {
                "urls": [target.address],
                "crawler_config": {"type": "CrawlerRunConfig", "params": {"page_timeout": milliseconds}},
            }
            if self.protocol == "crawl4ai"
            else {
                "url": target.address,
                "formats": ["rawHtml"],
                "onlyMainContent": False,
                "timeout": milliseconds,
                "skipTlsVerification": False,
            }
        )
        headers = {"Accept": "application/json", "Accept-Encoding": ACCEPTED}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        async with (
            httpx.AsyncClient(verify=tls, trust_env=False, follow_redirects=False, timeout=limits.seconds) as client,
            client.stream("POST", self.address, json=body, headers=headers) as response,
        ):
            if response.status_code >= 300:
                return response.status_code, b""
            return response.status_code, await self._body(response, limits)

    async def _body(self, response: httpx.Response, limits: Limits) -> bytes:
        """Take the body in, piece by piece, so that neither it nor what it was packed from becomes too large."""
        body = bytearray()
        wire = 0
        try:
            decoder = decoder_for(response.headers.get("content-encoding", ""))
            async for data in response.aiter_raw():
                wire += len(data)
                for piece in pieces(decoder, data):
                    body += piece
                    await asyncio.sleep(0)  # unpacking is work: others take turns with it
                    if len(body) > limits.body_bytes * _OVERHEAD:
                        break
                if max(wire, len(body)) > limits.body_bytes * _OVERHEAD:
                    break
        except PageError as error:
            raise self._failed(f"its answer cannot be read ({error})") from None
        if max(wire, len(body)) > limits.body_bytes * _OVERHEAD:
            raise self._failed(f"its answer is longer than {limits.body_bytes * _OVERHEAD / 1e6:g} MB")
        return bytes(body)

    def _page_of(self, body: bytes) -> str:
        """Take an answer apart. Blocking."""
        if not body.strip():
            raise self._failed("its answer is empty")
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            page = body[:200].lstrip().startswith(b"<")
            raise self._failed(f"its answer is {'a page of HTML' if page else 'no JSON'}") from None
        found, fields = _found(answer, self.protocol)
        if found is None:
            raise self._failed(f"its answer has no {fields[0]}")
        status = found.get("status_code", (found.get("metadata") or {}).get("statusCode"))
        if found.get("success") is False or (isinstance(status, int) and status >= 400):
            reason = _reason(found) or _reason(found.get("metadata"))
            raise self._failed("it could not open the page" + (f" ({reason})" if reason else f" (HTTP {status})"))
        html = next((text for name in fields[1:] if isinstance(text := found.get(name), str) and text.strip()), "")
        if not html:
            raise self._failed(f"its answer has no {fields[0]}.{fields[1]}")
        return html

    def _failed(self, reason: str) -> PageError:
        """Return the error, without the reader's address, which is the operator's."""
        title = {"crawl4ai": "crawl4ai", "firecrawl": "Firecrawl"}[self.protocol]
        return PageError(f"the reader of LEADLINE_READER_URL ({title}) did not render it: {reason}")


def _found(answer: Any, protocol: str) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """Return the part of an answer that is about the page, and the names of that part and of the fields of its HTML.

    An error that stands at the top of the answer is passed on as the page's.
    """
    fields = ("results", "html", "cleaned_html") if protocol == "crawl4ai" else ("data", "rawHtml", "html")
    if not isinstance(answer, dict):
        return None, fields
    part = answer.get(fields[0])
    if isinstance(part, list):
        part = part[0] if part else None
    if not isinstance(part, dict):
        failed = answer.get("success") is False
        return ({"success": False, "error": answer.get("error") or answer.get("detail")} if failed else None), fields
    metadata = part.get("metadata")
    return {**part, "metadata": metadata if isinstance(metadata, dict) else None}, fields


def _reason(found: dict[str, Any] | None) -> str:
    """Return the reader's own words about a failure, short and on one line."""
    words = [(found or {}).get(name) for name in ("error_message", "error")]
    line = next((clean_line(text) for text in words if isinstance(text, str) and text.strip()), "")
    return line if len(line) <= _LONGEST_REASON else f"{line[:_LONGEST_REASON]}…"
