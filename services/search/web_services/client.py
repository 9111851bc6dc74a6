"""The client of all services with a record: sends requests within limits, and converts errors to messages with advice."""

import asyncio
import json
import re
import ssl
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import httpx

from schemas.clean_text import clean_address
from services.run.errors import BadInput, PageError, SearchError
from services.run.secrecy import register_secrets, without_secrets_in
from services.run.ui_text import say, told
from services.search.filters import ANYTHING, Filters
from services.search.hit import Hit
from services.search.pages.fetch import ACCEPTED, decoder_for, pieces, tls_context
from services.search.web_services.answers import MalformedFeed, read_feed, scalar, values_at
from services.search.web_services.problems import (
    advice,
    is_limit,
    not_in_form,
    own_words,
    retry_after,
    status_problem,
    without_results,
)
from services.search.web_services.query import ServiceRequest, request_for
from services.search.web_services.results import hits_of
from services.search.web_services.service import Service
from services.text.dates import latest_day

LONGEST_WAIT = 60.0
"""Maximum seconds that a search waits for its turn; it fails if it would wait longer."""

MAX_BODY = 8_000_000
"""Maximum decompressed bytes of an answer."""
MAX_RETRY_AFTER = 3.0
"""Maximum seconds of a Retry-After that a search waits; after longer ones it fails."""
_KEY = re.compile(r"[\x21-\x7e]{1,2000}")
_CONTACT = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}", re.ASCII)


class Pace:
    """Turns at one host. An unused turn expires."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._next = 0.0

    def take(self, pause: float, title: str) -> float:
        """Take the next turn, which the following one comes `pause` seconds behind, and return the seconds until it comes.

        Raises:
            SearchError: too many searches are waiting.
        """
        with self._lock:
            now = self._clock()
            start = max(now, self._next)
            if start - now > LONGEST_WAIT:
                raise SearchError(**told("search_queue", title=title, seconds=f"{pause:g}"))
            self._next = start + pause
            return start - now


@lru_cache(maxsize=256)
def pace_of(host: str) -> Pace:
    """Return the turns at a host and port."""
    return Pace()


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: dict[str, str]
    """Headers by lower-case name."""
    body: bytes


class _Transport(httpx.AsyncHTTPTransport):
    """Adds the key to the address below the client, which logs addresses."""

    def __init__(self, tls: ssl.SSLContext, secret: dict[str, str]) -> None:
        super().__init__(verify=tls, trust_env=False)
        self._secret = secret

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        sent = httpx.Request(
            request.method,
            request.url.copy_merge_params(self._secret),
            headers=request.headers,
            stream=request.stream,
            extensions=request.extensions,
        )
        return await super().handle_async_request(sent)


def _without_user(address: str) -> tuple[str, httpx.BasicAuth | None]:
    """Split user and password from an address, since the client would log them."""
    url = httpx.URL(address)
    if not url.userinfo:
        return address, None
    return str(url.copy_with(userinfo=None)), httpx.BasicAuth(url.username, url.password)


class ServiceSearch:
    """Searches one service; the pages of its results are read elsewhere."""

    def __init__(
        self,
        service: Service,
        key: str | None = None,
        address: str | None = None,
        *,
        filters: Filters = ANYTHING,
        seconds: float = 12.0,
        contact: str = "",
        today: Callable[[], date] = lambda: datetime.now(UTC).date(),
    ) -> None:
        """Create a search without sending a request.

        The address is an operator's own, never from a run or an answer; a user and a password in it are sent as HTTP
        Basic credentials. `seconds` bound one search without waiting for its turn, and a time range is counted back
        from `today`.

        Raises:
            BadInput: a setting is missing or cannot be used.
        """
        if missing := service.missing(key, address):
            raise BadInput(**told("search_not_set_up", title=service.title, setting=missing))
        if key and service.key != "none" and not _KEY.fullmatch(key):
            raise BadInput(**told("search_odd_key", setting=service.key_setting))
        if address and not clean_address(address):
            raise BadInput(**told("search_no_address", setting=service.address_setting or say("search_address")))
        if contact and not _CONTACT.fullmatch(contact):
            raise BadInput(**told("search_contact"))
        self.name = service.name
        self.service = service
        self._key = key if key and service.key != "none" else ""
        register_secrets(filter(None, [self._key]))
        self._address, self._auth = _without_user(address) if address else ("", None)
        self._filters = filters
        self._seconds = seconds
        self._contact = contact
        self._today = today

    async def search(self, query: str, limit: int) -> list[Hit]:
        """Return at most `limit` hits, best first.

        Raises:
            SearchRefused: the key was refused or a limit was reached.
            SearchError: the service failed, was not reached or sent an invalid answer.
        """
        if not query.strip() or limit < 1:
            return []
        today = self._today()
        request = request_for(
            self.service,
            query,
            limit,
            key=self._key,
            address=self._address,
            contact=self._contact,
            filters=self._filters,
            today=today,
        )
        if pause := self.service.pause_for(self._key):
            await asyncio.sleep(pace_of(urlsplit(request.address).netloc).take(pause, self.service.title))
        async with self._errors(), asyncio.timeout(self._seconds):
            answer = await self._ask(request)
            wait = retry_after(answer.headers) if is_limit(answer.status, answer.headers) else None
            if wait is not None and wait <= min(MAX_RETRY_AFTER, self._seconds / 2):
                await asyncio.sleep(wait)
                answer = await self._ask(request)
        if answer.status != 200:
            raise status_problem(self.service, answer.status, answer.headers, has_key=bool(self._key))
        hits = await asyncio.to_thread(self._read, answer.body)
        return [self._permitted(hit) for hit in hits if self._permit(hit, self._filters.since(today))][:limit]

    async def _ask(self, request: ServiceRequest) -> _Answer:
        """Send a request and return its answer, without redirects and proxies."""
        async with (
            httpx.AsyncClient(
                transport=_Transport(await asyncio.to_thread(tls_context), request.secret),
                trust_env=False,
                follow_redirects=False,
                timeout=self._seconds,
                headers={"Accept-Encoding": ACCEPTED},
                auth=self._auth,
            ) as client,
            client.stream(
                request.method,
                request.address,
                params=request.parameters or None,
                json=request.body,
                headers=request.headers,
            ) as response,
        ):
            headers = {name.lower(): value for name, value in response.headers.items()}
            body = await self._body(response) if response.status_code == 200 else b""
            return _Answer(response.status_code, headers, body)

    async def _body(self, response: httpx.Response) -> bytes:
        """Read the body piece by piece, and limit its size before and after decompression."""
        decoder = decoder_for(response.headers.get("content-encoding", ""))
        body = bytearray()
        async for data in response.aiter_raw():
            for piece in pieces(decoder, data):
                body += piece
                if len(body) > MAX_BODY:
                    raise SearchError(
                        **told(
                            "search_long",
                            title=self.service.title,
                            size=MAX_BODY // 1_000_000,
                            advice=advice(self.service),
                        )
                    )
        return bytes(body)

    @asynccontextmanager
    async def _errors(self) -> AsyncIterator[None]:
        title, what_to_do = self.service.title, advice(self.service)
        try:
            yield
        except (TimeoutError, httpx.TimeoutException):
            raise SearchError(**told("search_late", title=title, advice=what_to_do)) from None
        except PageError as error:  # an error of the compression
            raise SearchError(**told("search_unread", title=title, problem=error, advice=what_to_do)) from None
        except (httpx.HTTPError, httpx.InvalidURL):
            raise SearchError(**told("search_unreached", title=title, advice=what_to_do)) from None

    def _read(self, body: bytes) -> list[Hit]:
        """Parse an answer. Blocking."""
        answer = self._parsed(body)
        if self.service.error:
            words = next(filter(None, map(scalar, values_at(answer, self.service.error))), "")
            if words:
                raise own_words(self.service, words)
        hits = hits_of(self.service, answer)
        if not hits and self.service.reasons and (reasons := values_at(answer, self.service.reasons)):
            raise without_results(self.service, reasons)
        return hits

    def _parsed(self, body: bytes) -> Any:
        if not body.strip():
            raise not_in_form(self.service, say("form_empty"))
        try:
            return without_secrets_in(json.loads(body) if self.service.answer == "json" else read_feed(body))
        except RecursionError:
            raise not_in_form(self.service, say("form_nested")) from None
        except MalformedFeed as error:
            raise not_in_form(self.service, str(error)) from None
        except ValueError:
            page = body[:200].lstrip().startswith(b"<")
            raise not_in_form(self.service, say("form_page" if page else "form_malformed")) from None

    def _permit(self, hit: Hit, since: date | None) -> bool:
        """Tell whether a hit is from a permitted site and, if its date is known, from the wanted time."""
        latest = latest_day(hit.published) if since else None
        return self._filters.permit(hit.url) and (since is None or latest is None or latest >= since)

    def _permitted(self, hit: Hit) -> Hit:
        """Return a hit without an open full text on an excluded site; only its abstract is then used."""
        publication = hit.publication
        if publication is None or not publication.open_url or self._filters.permit(publication.open_url):
            return hit
        closed = publication.model_copy(update={"open_url": ""})
        return hit.model_copy(
            update={"publication": closed, "snippet_only": hit.snippet_only and not hit.abstract_only}
        )
