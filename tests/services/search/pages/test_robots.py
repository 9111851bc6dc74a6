"""robots.txt: what a site does not want read is left alone."""

import gzip

import pytest

from services.run.errors import PageRefused
from services.search.pages.reader import PageReader
from tests.fakes.site import Answer, Site, endless
from tests.services.search.pages.conftest import Internet

TEXT = "<p>Piano wire took the place of hemp rope.</p>"


def rules(served: Site, text: str, status: int = 200) -> None:
    served.pages["/robots.txt"] = Answer(text.encode(), status, "text/plain")


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        ("User-agent: *\nDisallow: /private", "/private/a", False),
        ("User-agent: *\nDisallow: /private", "/public", True),
        ("User-agent: leadline\nDisallow: /\n\nUser-agent: *\nAllow: /", "/a", False),
        ("User-agent: Other\nDisallow: /", "/a", True),
        ("User-agent: *\nDisallow: /\nAllow: /a$", "/a", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf", False),
        ("User-agent: *\nDisallow: /*?session=", "/a?session=1", False),
        ("\ufeffUser-agent: *\nDisallow: /a", "/a", False),
        ("<html>not a robots file</html>", "/a", True),
        ("", "/a", True),
    ],
)
async def test_the_rules_for_this_reader_hold(
    text: str, path: str, *, allowed: bool, served: Site, reader: PageReader
) -> None:
    rules(served, text)
    url = served.page(path, TEXT)
    if allowed:
        assert (await reader.read(url)).text
    else:
        with pytest.raises(PageRefused, match=r"robots\.txt asks programs not to"):
            await reader.read(url)
        assert served.asked == ["/robots.txt"]


@pytest.mark.parametrize("status", [403, 404, 429])
async def test_a_robots_file_that_is_not_there_allows_everything(status: int, served: Site, reader: PageReader) -> None:
    rules(served, "User-agent: *\nDisallow: /", status)
    assert (await reader.read(served.page("/", TEXT))).text


@pytest.mark.parametrize("status", [500, 503])
async def test_a_robots_file_that_fails_forbids_everything(status: int, served: Site, reader: PageReader) -> None:
    rules(served, "", status)
    with pytest.raises(PageRefused, match=r"robots\.txt fails"):
        await reader.read(served.page("/", TEXT))


async def test_a_robots_file_that_cannot_be_had_allows_everything(served: Site, reader: PageReader) -> None:
    served.pages["/robots.txt"] = Answer(raw=b"")
    assert (await reader.read(served.page("/", TEXT))).text


async def test_a_robots_file_without_end_is_cut_off_and_its_first_rules_hold(served: Site, reader: PageReader) -> None:
    served.pages["/robots.txt"] = Answer(
        b"User-agent: *\nDisallow: /private\n" + b"# nothing\n" * 60_000, kind="text/plain"
    )
    with pytest.raises(PageRefused):
        await reader.read(served.page("/private", TEXT))
    served.pages["/robots.txt"] = Answer(stream=endless, kind="text/plain")
    async with PageReader(reader.allowance) as another:
        assert (await another.read(served.page("/private", TEXT))).text


async def test_a_bomb_of_a_robots_file_is_cut_off(served: Site, reader: PageReader) -> None:
    bomb = gzip.compress(b"User-agent: *\nDisallow: /private\n" + b"#\n" * 10_000_000)
    served.pages["/robots.txt"] = Answer(bomb, kind="text/plain", headers={"Content-Encoding": "gzip"})
    with pytest.raises(PageRefused):
        await reader.read(served.page("/private", TEXT))


async def test_every_host_of_a_redirect_is_asked(served: Site, internet: Internet, outside: PageReader) -> None:
    rules(served, "User-agent: *\nDisallow: /private")
    served.pages["/"] = Answer(status=302, headers={"Location": "http://other.example/private"})
    with pytest.raises(PageRefused, match=r"other\.example"):
        await outside.read("http://site.example/")
    assert served.asked == ["/robots.txt", "/", "/robots.txt"]


async def test_a_robots_file_that_leads_inwards_is_not_followed(
    served: Site, internet: Internet, outside: PageReader
) -> None:
    served.pages["/robots.txt"] = Answer(status=302, headers={"Location": "http://169.254.169.254/"})
    served.page("/", TEXT)
    assert (await outside.read("http://site.example/")).text
    assert {address for address, _ in internet.dialled} == {"93.184.215.14"}
