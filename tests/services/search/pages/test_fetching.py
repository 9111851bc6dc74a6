"""Fetching: redirects are checked one by one, names are looked up once, and limits hold while bytes come in."""

import asyncio
import gzip
import ssl
from collections.abc import Callable
from pathlib import Path

import httpcore
import pytest
import trustme
from blockbuster import blockbuster_ctx

from services.run.errors import PageError, PageRefused
from services.search.pages.addresses import HostAllowance
from services.search.pages.fetch import Limits
from services.search.pages.reader import Page, PageReader
from tests.fakes.site import Answer, Site, drip, endless, site
from tests.services.search.pages.conftest import PUBLIC, Internet

TEXT = "<title>Wire</title><p>Piano wire took the place of hemp rope.</p>"
PLAIN = "Piano wire took the place of hemp rope."
INWARDS = [
    "http://127.0.0.1/", "http://169.254.169.254/latest/", "http://[::1]/", "//10.0.0.1/", "http://2130706433/",
    "http://localhost/", "file:///etc/passwd", "http://private.example/", "http://a@site.example/", "ftp://site.example/",
    "http://site.example:6379/", "http://[64:ff9b::7f00:1]/", "javascript:alert(1)", "http://127.0.0.1\\@site.example/",
]  # fmt: skip


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": lambda data: gzip.compress(data[:10]) + gzip.compress(data[10:]),
}


async def test_a_page_is_read_with_what_it_says_of_itself(served: Site, reader: PageReader) -> None:
    url = served.page(
        "/wire",
        '<head><title>Wire - Site</title><meta name="author" content="Ann Lee">'
        '<meta property="article:published_time" content="2020-05-01T10:00:00Z"></head>'
        f"<body><nav>Home</nav><h1>Wire</h1><p>{PLAIN}</p><footer>Imprint</footer></body>",
    )
    page = await reader.read(f"{url}#part")
    assert (page.url, page.final_url) == (f"{url}#part", url)
    assert (page.title, page.card.authors, page.published) == ("Wire", ["Ann Lee"], "2020-05-01")
    assert page.text == f"# Wire\n\n{PLAIN}"
    assert page.hit().url == url
    assert served.headers[-1]["user-agent"] == "Leadline"
    assert "cookie" not in served.headers[-1]


@pytest.mark.parametrize("location", INWARDS)
async def test_a_redirect_inwards_is_refused(
    location: str, served: Site, internet: Internet, outside: PageReader
) -> None:
    internet.names["private.example"] = [["192.168.0.10"]]
    served.pages["/"] = Answer(status=302, headers={"Location": location})
    with pytest.raises(PageRefused, match="is not read"):
        await outside.read("http://site.example/")
    assert served.asked == ["/robots.txt", "/"]
    assert {address for address, _ in internet.dialled} == {PUBLIC}


async def test_a_redirect_inwards_after_many_harmless_ones_is_refused(
    served: Site, internet: Internet, outside: PageReader
) -> None:
    for step in range(4):
        served.pages[f"/{step}"] = Answer(status=307, headers={"Location": f"http://host{step}.example/{step + 1}"})
    served.pages["/4"] = Answer(status=301, headers={"Location": "http://127.0.0.1/"})
    with pytest.raises(PageRefused, match=r"127\.0\.0\.1"):
        await outside.read("http://site.example/0")
    assert {address for address, _ in internet.dialled} == {PUBLIC}


async def test_the_public_web_cannot_choose_a_host_that_only_the_operator_may_name(
    served: Site, internet: Internet
) -> None:
    served.page("/inside", TEXT)
    served.pages["/"] = Answer(status=302, headers={"Location": served.url("/inside")})
    async with PageReader(HostAllowance.parse(served.host), resolver=internet.resolve, dialler=internet) as reader:
        with pytest.raises(PageRefused, match="only you may name"):
            await reader.read("http://site.example/")
        assert (await reader.read(served.url("/inside"))).text == PLAIN
        assert (await reader.read(served.url("/"))).text == PLAIN


async def test_a_name_is_looked_up_once_and_what_was_checked_is_dialled(
    served: Site, internet: Internet, outside: PageReader
) -> None:
    internet.names["rebinding.example"] = [[PUBLIC], ["127.0.0.1"]]
    served.page("/", TEXT)
    assert (await outside.read("http://rebinding.example/")).text == PLAIN
    assert internet.looked_up == ["rebinding.example"]
    assert internet.dialled == [(PUBLIC, 80)]
    assert served.headers[-1]["host"] == "rebinding.example"


async def test_a_name_that_turns_private_between_two_connections_is_refused(
    served: Site, internet: Internet, outside: PageReader
) -> None:
    internet.names["rebinding.example"] = [[PUBLIC], ["127.0.0.1"]]
    served.pages["/robots.txt"] = Answer(raw=b"HTTP/1.1 404 None\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    served.page("/", TEXT)
    with pytest.raises(PageRefused):
        await outside.read("http://rebinding.example/")
    assert internet.dialled == [(PUBLIC, 80)]
    assert served.asked == ["/robots.txt"]


async def test_the_next_address_is_tried_when_one_does_not_answer(served: Site, internet: Internet) -> None:
    class Picky(Internet):
        async def connect_tcp(
            self,
            host: str,
            port: int,
            timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore
            *args: object,
            **kwargs: object,
        ) -> httpcore.AsyncNetworkStream:
            if host == PUBLIC:
                self.dialled.append((host, port))
                raise httpcore.ConnectError
            return await super().connect_tcp(host, port, timeout)

    picky = Picky(served.port, {"two.example": [[PUBLIC, "93.184.215.15"]]})
    served.page("/", TEXT)
    async with PageReader(HostAllowance(), resolver=picky.resolve, dialler=picky) as reader:
        assert (await reader.read("http://two.example/")).text == PLAIN
    assert [address for address, _ in picky.dialled] == [PUBLIC, "93.184.215.15"]


async def test_redirects_are_followed_and_counted_and_keep_no_cookies(served: Site, reader: PageReader) -> None:
    for step in range(7):
        served.pages[f"/{step}"] = Answer(status=302, headers={"Location": f"{step + 1}", "Set-Cookie": "a=b"})
    served.page("/7", TEXT)
    page = await reader.read(served.url("/2"))
    assert (page.final_url, page.url) == (served.url("/7"), served.url("/2"))
    assert not any("cookie" in headers for headers in served.headers)
    with pytest.raises(PageError, match="more than 5 times"):
        await reader.read(served.url("/0"))


async def test_proxies_of_the_environment_are_not_used(
    served: Site, reader: PageReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.page("/", TEXT)
    with site() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"):
            monkeypatch.setenv(name, proxy.url())
        assert (await reader.read(served.url())).text == PLAIN
    assert proxy.asked == []


async def test_a_secure_page_is_read_under_its_name_and_a_wrong_certificate_is_not(tmp_path: Path) -> None:
    authority = trustme.CA()
    server, client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context()
    authority.issue_cert("site.example").configure_cert(server)
    authority.configure_trust(client)
    named: list[str | None] = []
    server.sni_callback = lambda _socket, name, _context: named.append(name)
    with site(server) as secure:
        internet = Internet(secure.port)
        secure.page("/", TEXT)
        async with PageReader(HostAllowance(), resolver=internet.resolve, dialler=internet, tls=client) as reader:
            assert (await reader.read("https://site.example/")).text == PLAIN
            with pytest.raises(PageError, match="certificate"):
                await reader.read("https://other.example/")
        async with PageReader(HostAllowance(), resolver=internet.resolve, dialler=internet) as reader:
            with pytest.raises(PageError, match="certificate"):
                await reader.read("https://site.example/")
    assert named[0] == "site.example"
    assert secure.headers[0]["host"] == "site.example"


@pytest.mark.parametrize("encoding", ENCODERS)
async def test_every_encoding_is_undone(encoding: str, served: Site, reader: PageReader) -> None:
    served.pages["/"] = Answer(ENCODERS[encoding](TEXT.encode()), headers={"Content-Encoding": encoding})
    assert (await reader.read(served.url())).text == PLAIN
    assert served.headers[-1]["accept-encoding"] == "gzip"


@pytest.mark.parametrize("encoding", ENCODERS)
async def test_a_decompression_bomb_is_stopped(encoding: str, served: Site, reader: PageReader) -> None:
    bomb = ENCODERS[encoding](b"<p>" + bytes(60_000_000))
    assert len(bomb) < reader.limits.wire_bytes
    served.pages["/"] = Answer(bomb, headers={"Content-Encoding": encoding})
    with pytest.raises(PageError, match="unpacked it is larger than 1 MB"):
        await reader.read(served.url())


@pytest.mark.parametrize(
    ("encoding", "body", "reason"),
    [
        ("gzip", b"no gzip at all", "broken"),
        ("br", b"x", "encoded as br"),
        ("gzip", gzip.compress(TEXT.encode(), mtime=0)[:-12], "ends too early"),
        ("gzip, gzip", gzip.compress(gzip.compress(TEXT.encode(), mtime=0), mtime=0), "encoded as gzip, gzip"),
        ("deflate", b"x", "encoded as deflate"),
    ],
)
async def test_broken_and_unknown_encodings_are_named(
    encoding: str, body: bytes, reason: str, served: Site, reader: PageReader
) -> None:
    served.pages["/"] = Answer(body, headers={"Content-Encoding": encoding})
    with pytest.raises(PageError, match=reason):
        await reader.read(served.url())


async def test_a_body_announced_as_too_large_is_not_taken(served: Site, reader: PageReader) -> None:
    served.pages["/"] = Answer(b"<p>short", headers={"Content-Length": "999999999"})
    with pytest.raises(PageError, match=r"larger than 0\.3 MB"):
        await reader.read(served.url())


async def test_a_body_without_end_is_cut_off(served: Site, reader: PageReader) -> None:
    served.pages["/"] = Answer(stream=endless)
    with pytest.raises(PageError, match=r"larger than 0\.3 MB"):
        await reader.read(served.url())


async def quiet(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(60)


@pytest.mark.parametrize(
    ("limits", "answer", "reason"),
    [
        (Limits(seconds=0.5), Answer(stream=drip), "longer than 0.5 seconds"),
        (Limits(seconds=0.5), Answer(raw=b"HTTP/1.1 200 OK\r\nX: ", stream=drip), "longer than 0.5 seconds"),
        (Limits(seconds=0.5), Answer(raw=b""), "broke the connection off"),
        (Limits(read_seconds=0.3), Answer(stream=quiet), "did not answer in time"),
    ],
    ids=["drip", "drip of headers", "hangs up", "silence"],
)
async def test_slow_and_silent_servers_are_given_up(limits: Limits, answer: Answer, reason: str, served: Site) -> None:
    served.pages["/"] = answer
    async with PageReader(HostAllowance.parse(served.host), limits) as reader:
        with pytest.raises(PageError, match=reason):
            await reader.read(served.url())


@pytest.mark.parametrize(
    "raw",
    [
        b"not HTTP at all\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: http://[broken/\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n",
    ],
)
async def test_broken_protocol_is_a_page_that_was_not_read(raw: bytes, served: Site, reader: PageReader) -> None:
    served.pages["/"] = Answer(raw=raw)
    with pytest.raises(PageError, match="not read"):
        await reader.read(served.url())


@pytest.mark.parametrize("status", [204, 400, 401, 403, 404, 410, 429, 451, 500, 503])
async def test_a_failing_page_says_its_status(status: int, served: Site, reader: PageReader) -> None:
    served.pages["/"] = Answer(b"" if status == 204 else TEXT.encode(), status)
    with pytest.raises(PageError, match="empty" if status == 204 else f"HTTP {status}"):
        await reader.read(served.url())


async def test_nothing_blocks_the_event_loop(served: Site, reader: PageReader) -> None:
    url = served.page("/", TEXT)
    with blockbuster_ctx():
        assert (await reader.read(url)).text == PLAIN


async def test_a_host_that_is_not_there_is_named(internet: Internet, outside: PageReader) -> None:
    internet.names["gone.example"] = [[]]
    with pytest.raises(PageError, match=r"http://gone\.example/ was not read: its host was not found"):
        await outside.read("http://gone.example/")


async def test_many_pages_are_read_side_by_side(served: Site, reader: PageReader) -> None:
    urls = [served.page(f"/{place}", f"<p>Sounding number {place} was deep.</p>") for place in range(12)]
    urls += ["http://10.0.0.1/", served.url("/gone")]
    pages = await asyncio.gather(*map(reader.read, urls), return_exceptions=True)
    assert [page.text for page in pages if isinstance(page, Page)] == [
        f"Sounding number {place} was deep." for place in range(12)
    ]
    assert [type(page) for page in pages[12:]] == [PageRefused, PageError]
    assert served.asked.count("/robots.txt") == 1
