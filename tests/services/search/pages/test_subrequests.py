"""What a page in a browser asks for: the rules for addresses that are read hold for every request of it, whatever its kind."""

from collections.abc import AsyncIterator
from itertools import product

import httpcore
import pytest

from services.run.errors import PageRefused
from services.sandbox.tab import BrowserReply, BrowserRequest
from services.search.pages.addresses import HostAllowance, Target, target_of
from services.search.pages.fetch import Fetched, connections
from services.search.pages.guard import GuardedBackend
from services.search.pages.rendering import RenderLimits, Subrequests
from tests.fakes.site import Answer, Site, endless
from tests.services.search.pages.conftest import PUBLIC, Internet
from tests.services.search.pages.test_addresses import HOSTILE, PRIVATE_ANSWERS
from tests.services.search.pages.test_fetching import INWARDS

KINDS = ["Document", "Script", "Stylesheet", "XHR", "Fetch", "Other"]
PAGE = "http://page.example/"
HTML = {"content-type": "text/html; charset=gbk", "set-cookie": "a=b", "content-disposition": "attachment"}


def request(url: str, kind: str = "Fetch", *, method: str = "GET", main: bool = True, **headers: str) -> BrowserRequest:
    return BrowserRequest(url, method, kind, main, headers)


async def passes(_: Target) -> None:
    """Let every target pass."""


@pytest.fixture
async def pool(internet: Internet) -> AsyncIterator[httpcore.AsyncConnectionPool]:
    async with connections(GuardedBackend(HostAllowance(), internet.resolve, internet), None) as one:
        yield one


def page_of(
    pool: httpcore.AsyncConnectionPool, limits: RenderLimits | None = None, allowance: HostAllowance | None = None
) -> Subrequests:
    fetched = Fetched(target_of(PAGE, HostAllowance()), 200, HTML, b"the page", cut=False)
    return Subrequests(fetched, pool, allowance or HostAllowance(), passes, limits or RenderLimits())


@pytest.fixture
def page(pool: httpcore.AsyncConnectionPool) -> Subrequests:
    return page_of(pool)


async def test_hostile_addresses_are_refused_before_any_look_up_or_connection(
    pool: httpcore.AsyncConnectionPool, internet: Internet
) -> None:
    page = page_of(pool, RenderLimits(requests=10_000))
    for kind, main, url in product(KINDS, (True, False), HOSTILE):
        assert await page.serve(request(url, kind, main=main)) is None, (kind, main, url)
    assert (internet.looked_up, internet.dialled) == ([], [])


async def test_public_names_with_private_addresses_are_refused(
    page: Subrequests, internet: Internet, served: Site
) -> None:
    for place, address in enumerate(PRIVATE_ANSWERS):
        internet.names[f"host{place}.example"] = [[PUBLIC, address]]
        kind = KINDS[1 + place % 5]
        assert await page.serve(request(f"http://host{place}.example/", kind)) is None, (kind, address)
    assert len(internet.looked_up) == len(PRIVATE_ANSWERS) == 28
    assert internet.dialled == []
    assert served.asked == []


@pytest.mark.parametrize("location", INWARDS)
async def test_a_redirect_inwards_is_given_back_and_refused_when_it_is_followed(
    location: str, page: Subrequests, internet: Internet, served: Site
) -> None:
    internet.names["private.example"] = [["192.168.0.10"]]
    served.pages["/moved"] = Answer(status=302, headers={"Location": location})
    reply = await page.serve(request("http://other.example/moved"))
    assert reply is not None
    assert (reply.status, reply.headers["location"]) == (302, location)
    following = f"http:{location}" if location.startswith("//") else location
    assert await page.serve(request(following)) is None
    assert served.asked == ["/moved"]
    assert {address for address, _ in internet.dialled} == {PUBLIC}


async def test_a_name_that_turns_private_between_two_requests_is_refused(
    page: Subrequests, internet: Internet, served: Site
) -> None:
    internet.names["rebinding.example"] = [[PUBLIC], ["127.0.0.1"]]
    close = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
    served.pages["/a"] = served.pages["/b"] = Answer(raw=close)
    assert await page.serve(request("http://rebinding.example/a")) == BrowserReply(200, {}, b"ok")
    assert await page.serve(request("http://rebinding.example/b")) is None
    assert (served.asked, internet.dialled) == (["/a"], [(PUBLIC, 80)])


async def test_the_page_itself_is_what_was_fetched_and_is_not_fetched_again(page: Subrequests, served: Site) -> None:
    reply = await page.serve(request(f"{PAGE}#part", "Document"))
    assert reply == BrowserReply(200, {"content-type": "text/html; charset=gbk"}, b"the page")
    assert served.asked == []


async def test_frames_and_pages_of_other_sites_are_not_loaded(page: Subrequests, served: Site) -> None:
    served.page("/next", "the next page")
    assert await page.serve(request(f"{PAGE}next", "Document", main=False)) is None
    assert await page.serve(request("http://other.example/next", "Document")) is None
    assert await page.serve(request("https://page.example/next", "Document")) is None
    assert served.asked == []
    reply = await page.serve(request(f"{PAGE}next", "Document"))
    assert reply is not None
    assert reply.body == b"the next page"


@pytest.mark.parametrize(
    "kind", ["Image", "Media", "Font", "WebSocket", "EventSource", "Ping", "Manifest", "Prefetch", "x"]
)
async def test_other_kinds_are_refused(kind: str, page: Subrequests, served: Site) -> None:
    assert await page.serve(request("http://other.example/", kind)) is None
    assert served.asked == []


@pytest.mark.parametrize(
    "method", ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "CONNECT", "get", "GET / HTTP/1.1\r\nX:"]
)
async def test_other_methods_are_refused(method: str, page: Subrequests, served: Site) -> None:
    assert await page.serve(request("http://other.example/", method=method)) is None
    assert served.asked == []


async def test_a_browser_that_asks_before_a_get_is_answered_here(page: Subrequests, served: Site) -> None:
    headers = {"Origin": "http://page.example", "Access-Control-Request-Headers": "x-view"}
    asked = BrowserRequest(
        "http://api.example/", "OPTIONS", "XHR", True, headers | {"Access-Control-Request-Method": "GET"}
    )
    reply = await page.serve(asked)
    assert reply is not None
    assert (reply.status, reply.headers) == (
        204,
        {"access-control-allow-origin": "http://page.example", "access-control-allow-headers": "x-view"},
    )
    posting = headers | {"Access-Control-Request-Method": "POST"}
    assert await page.serve(BrowserRequest("http://api.example/", "OPTIONS", "XHR", True, posting)) is None
    inwards = BrowserRequest(
        "http://10.0.0.1/", "OPTIONS", "XHR", True, headers | {"Access-Control-Request-Method": "GET"}
    )
    assert await page.serve(inwards) is None
    assert served.asked == []


async def test_no_cookie_or_login_is_sent_and_nothing_to_keep_is_given_back(page: Subrequests, served: Site) -> None:
    served.pages["/data"] = Answer(
        b"{}",
        kind="application/json",
        headers={
            "Set-Cookie": "a=b",
            "Access-Control-Allow-Origin": "*",
            "Content-Disposition": "attachment",
            "Refresh": "0",
        },
    )
    headers = {
        "Cookie": "a=b",
        "Authorization": "Bearer x",
        "Host": "127.0.0.1",
        "Accept": "application/json",
        "Origin": PAGE[:-1],
    }
    headers |= {"Referer": "http://a\r\nX-Evil: y", "User-Agent": "Mozilla", "Accept-Encoding": "x"}
    reply = await page.serve(BrowserRequest("http://api.example/data", "GET", "Fetch", True, headers))
    assert reply is not None
    assert reply.headers == {"content-type": "application/json", "access-control-allow-origin": "*"}
    sent = served.headers[-1]
    assert (sent["host"], sent["user-agent"], sent["accept"]) == ("api.example", "Leadline", "application/json")
    assert sent.keys() == {"host", "user-agent", "accept", "accept-encoding", "origin"}


async def test_robots_txt_holds_for_every_request(pool: httpcore.AsyncConnectionPool, served: Site) -> None:
    async def withheld(target: Target) -> None:
        if target.path.startswith("/api"):
            raise PageRefused("withheld")

    fetched = Fetched(target_of(PAGE, HostAllowance()), 200, HTML, b"", cut=False)
    page = Subrequests(fetched, pool, HostAllowance(), withheld, RenderLimits())
    served.page("/api/data", "x")
    served.page("/app.js", "x")
    assert await page.serve(request("http://other.example/api/data")) is None
    assert await page.serve(request("http://other.example/app.js")) is not None
    assert served.asked == ["/app.js"]


async def test_the_number_of_requests_has_an_end(pool: httpcore.AsyncConnectionPool, served: Site) -> None:
    page = page_of(pool, RenderLimits(requests=3))
    served.page("/a", "x")
    replies = [await page.serve(request("http://other.example/a")) for _ in range(5)]
    assert [reply is not None for reply in replies] == [True, True, True, False, False]
    assert len(served.asked) == 3


async def test_the_bytes_of_all_requests_have_an_end(pool: httpcore.AsyncConnectionPool, served: Site) -> None:
    page = page_of(pool, RenderLimits(bytes=1_000, per_request=600))
    served.page("/half", "x" * 500)
    served.page("/long", "x" * 601)
    served.pages["/endless"] = Answer(stream=endless)
    replies = [await page.serve(request("http://other.example/half")) for _ in range(3)]
    assert [reply is not None for reply in replies] == [True, True, False]
    for path in ("long", "endless"):  # what does not come to its end counts as all that it could have been
        page = page_of(pool, RenderLimits(bytes=1_000, per_request=600))
        assert await page.serve(request(f"http://other.example/{path}")) is None
        assert await page.serve(request("http://other.example/half")) is None


async def test_a_page_of_the_public_web_reaches_no_host_that_only_the_operator_may_name(
    internet: Internet, served: Site
) -> None:
    allowance = HostAllowance.parse(served.host)
    served.page("/inside", "x")
    async with connections(GuardedBackend(allowance, internet.resolve, internet), None) as pool:
        page = page_of(pool, allowance=allowance)
        assert await page.serve(request(served.url("/inside"))) is None
        own = Fetched(target_of(served.url(), allowance), 200, HTML, b"", cut=False)
        inside = Subrequests(own, pool, allowance, passes, RenderLimits())
        assert await inside.serve(request(served.url("/inside"))) is not None
    assert served.asked == ["/inside"]
