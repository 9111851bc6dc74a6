"""Client of the operator's page reader, which renders a page in a browser and returns its content.

Two protocols are supported, distinguished by the end of LEADLINE_READER_URL: `…/crawl` is crawl4ai's and `…/scrape`
Firecrawl's (its versions 1 and 2). The reader makes connections of its own, which no guard of ours sees: it only gets
addresses that the guard has passed, and never one of a private host.
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
from services.run.secrecy import without_secrets
from services.search.pages.addresses import Target
from services.search.pages.decompression import ACCEPTED, decoder_for, pieces
from services.search.pages.fetch import tls_context
from services.search.pages.limits import Limits

_KEY = re.compile(r"[\x21-\x7e]{1,2000}")
_OVERHEAD = 1.2
"""Factor on the page's size for the answer, which escapes quotation marks and line breaks and adds metadata."""
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
    """Address and protocol of the reader; requests are only sent by `render`."""

    address: str
    protocol: str
    """`crawl4ai` or `firecrawl`."""
    key: str = ""

    @classmethod
    def of(cls, address: str, key: str = "") -> "ReaderEndpoint":
        """Parse the operator's settings.

        Raises:
            SettingsError: the address is invalid or of no supported protocol, or the key is invalid.
        """
        path = urlsplit(address).path.rstrip("/") if clean_address(address) else ""
        protocol = {"crawl": "crawl4ai", "scrape": "firecrawl"}.get(path.rpartition("/")[2], "")
        if not protocol:
            raise SettingsError(
                "LEADLINE_READER_URL cannot be used. Write the whole address that is called: "
                "http://127.0.0.1:11235/crawl for crawl4ai, http://127.0.0.1:3002/v2/scrape for Firecrawl."
            )
        if key and not _KEY.fullmatch(key):
            raise SettingsError("LEADLINE_READER_KEY is not a key: it contains blanks or other characters.")
        return cls(address, protocol, key)

    async def render(self, target: Target, limits: Limits, tls: ssl.SSLContext | None = None) -> bytes:
        """Let the reader render a page, and return its HTML in UTF-8.

        Args:
            target: a target that the guard has checked.
            limits: seconds and bytes, as for a fetched page.
            tls: verifies the reader's certificate; by default with the system's authorities.

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
        """Send the request and return the answer's body, without redirects and proxies."""
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
        """Read the body piece by piece, and limit its size before and after decompression."""
        body = bytearray()
        wire = 0
        try:
            decoder = decoder_for(response.headers.get("content-encoding", ""))
            async for data in response.aiter_raw():
                wire += len(data)
                for piece in pieces(decoder, data):
                    body += piece
                    await asyncio.sleep(0)  # decompression takes time: let other tasks run
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
        """Parse an answer. Blocking."""
        if not body.strip():
            raise self._failed("its answer is empty")
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            page = body[:200].lstrip().startswith(b"<")
            raise self._failed(f"its answer is {'a page of HTML' if page else 'not JSON'}") from None
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
        return without_secrets(html)

    def _failed(self, reason: str) -> PageError:
        """Return the error without the reader's address, which only the operator may see."""
        title = {"crawl4ai": "crawl4ai", "firecrawl": "Firecrawl"}[self.protocol]
        return PageError(f"the reader of LEADLINE_READER_URL ({title}) did not render it: {reason}")


def _found(answer: Any, protocol: str) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """Return the page's part of an answer, and the names of that part and of its HTML fields.

    An error at the top of the answer is treated as the page's error.
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
    """Return the reader's error message, shortened to one line."""
    words = [(found or {}).get(name) for name in ("error_message", "error")]
    line = next((without_secrets(clean_line(text)) for text in words if isinstance(text, str) and text.strip()), "")
    return line if len(line) <= _LONGEST_REASON else f"{line[:_LONGEST_REASON]}…"
