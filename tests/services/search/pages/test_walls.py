"""Pages that stand before a text are told as such, and pages with a text are read."""

import re
from pathlib import Path

import pytest
from lxml import html

from services.run.errors import PageError
from services.search.pages.reader import PageReader
from services.search.pages.walls import CAPTCHA, COOKIES, SUBSCRIBERS, wall
from tests.fakes.site import Site

TEXTS = Path(__file__).with_name("texts")
"""Pages of many kinds with made-up texts, each file the parts that a browser asks for."""
ARTICLE = (
    "<p>"
    + "The harbour of Varde was first dredged in the spring of 1871, when the ice had left the river. " * 12
    + "</p>"
)
BEGINNING = "<p>The harbour of Varde was first dredged in the spring of 1871, when the ice had left the river.</p>"
PAGES = {
    "a captcha in a frame": (
        "<h1>Checking if the site connection is secure</h1><p>Verify that you are human by completing the action below.</p>"
        '<iframe src="https://challenges.example/turnstile/v0/x"></iframe>',
        CAPTCHA,
    ),
    "a captcha in a form": (
        '<form id="captcha-form" action="index"><div class="g-recaptcha" data-sitekey="x"></div>'
        "<p>Our systems have detected unusual traffic from your computer network.</p></form>",
        CAPTCHA,
    ),
    "a slider in Chinese": ('<div class="geetest_captcha">请完成安全验证</div><p>拖动滑块完成拼图</p>', CAPTCHA),
    "a question about cookies": (
        '<title>Before you continue</title><div class="consent-dialog"><h1>Before you continue</h1><p>We use cookies and data to '
        "deliver and maintain our services, track outages, and measure audience engagement.</p>"
        "<button>Reject all</button><button>Accept all</button></div><footer>Privacy · Terms</footer>",
        COOKIES,
    ),
    "a form of another host": (
        '<form action="https://consent.example/save"><p>Wir und unsere 842 Partner verarbeiten Daten.</p><input type=submit></form>',
        COOKIES,
    ),
    "a text for subscribers": (
        '<script type="application/ld+json">{"@type": "NewsArticle", "isAccessibleForFree": false}</script>' + BEGINNING,
        SUBSCRIBERS,
    ),
    "a text behind a named wall": (BEGINNING + '<div class="paywall-offer"><p>Subscribe to go on reading.</p></div>', SUBSCRIBERS),
    "an article with a banner": (
        ARTICLE + '<div id="cookie-banner"><p>We use cookies.</p><button>Accept</button></div>',
        "",
    ),
    "an article with a form that has a captcha": (ARTICLE + '<form><div class="g-recaptcha"></div></form>', ""),
    "an article about cookies": (
        '<article class="cookies"><h1>HTTP cookies</h1><section id="cookie-attributes">' + ARTICLE + "<button>Copy</button></section></article>",
        "",
    ),
    "a short note with a banner": (
        BEGINNING * 2 + '<div class="cookie-notice">We use cookies. <button>OK</button></div>',
        "",
    ),
    "a whole text that says that it is not free": (
        '<script type="application/ld+json">{"isAccessibleForFree": "False"}</script>' + ARTICLE * 4,
        "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
async def test_a_page_before_a_text_is_told_and_a_text_is_read(name: str, served: Site, reader: PageReader) -> None:
    body, reason = PAGES[name]
    url = served.page("/a", body)
    if not reason:
        assert "Varde" in (await reader.read(url)).text
        return
    with pytest.raises(PageError, match=reason):
        await reader.read(url)


@pytest.mark.parametrize("path", sorted(TEXTS.glob("*.page")), ids=lambda path: path.stem)
def test_saved_pages_with_texts_are_not_taken_for_others(path: Path) -> None:
    for part in re.split(r"^=== \S+.*\n", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        if "<html" in part or "<body" in part:
            tree = html.document_fromstring(part)
            assert not wall(tree, tree.text_content()[:2_000])
