"""Pages rendered in the jail: scripts run, all that they ask for goes through one function, and nothing gets around it."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import lxml.html
import psutil
import pytest

from services.run.errors import PageError
from services.sandbox import browser as module
from services.sandbox.browser import jailed_browser, render_page
from services.sandbox.tab import BrowserReply, BrowserRequest, Serve
from services.search.files.hidden import remove_hidden
from tests.fakes.browser import CHROMIUM, needs_chromium
from tests.fakes.site import site

Test = TypeVar("Test", bound=Callable[..., object])
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the jail needs Linux")

PAGE = "https://page.example/"


def in_chromium(test: Test) -> Test:
    marked: Test = needs_chromium(pytest.mark.long(test))
    return marked


def serving(pages: dict[str, tuple[str, str]], asked: list[BrowserRequest]) -> Serve:
    """Answer these addresses, each with a type and a text, and refuse all others."""

    async def serve(request: BrowserRequest) -> BrowserReply | None:
        asked.append(request)
        if request.url not in pages:
            return None
        kind, text = pages[request.url]
        return BrowserReply(200, {"content-type": kind}, text.encode())

    return serve


async def rendered(
    pages: dict[str, tuple[str, str]], asked: list[BrowserRequest] | None = None, seconds: float = 30
) -> str:
    assert CHROMIUM
    serve = serving(pages, [] if asked is None else asked)
    return await render_page(CHROMIUM, PAGE, serve, seconds=seconds, longest=1_000_000)


def html(body: str) -> tuple[str, str]:
    return "text/html", f"<html><head><title>Page</title></head><body>{body}</body></html>"


@in_chromium
async def test_scripts_run_and_what_they_ask_for_is_answered_or_refused() -> None:
    asked: list[BrowserRequest] = []
    script = """document.title = 'Tides';
        const told = await (await fetch('/data.json')).json();
        document.getElementById('app').textContent = told.text;
        try { await fetch('https://refused.example/') } catch { document.body.append('Refused.') }"""
    pages = {
        PAGE: html("<div id=app></div><script type=module src=/app.js></script>"),
        f"{PAGE}app.js": ("text/javascript", script),
        f"{PAGE}data.json": ("application/json", '{"text": "High water at noon."}'),
    }
    found = await rendered(pages, asked)
    assert "<title>Tides</title>" in found
    assert '<div id="app">High water at noon.</div>' in found
    assert "Refused." in found
    kinds = {request.url: (request.kind, request.main) for request in asked}
    assert kinds[PAGE] == ("Document", True)
    assert kinds[f"{PAGE}app.js"][0] == "Script"
    assert kinds["https://refused.example/"][0] in {"XHR", "Fetch"}


UNSEEN = {
    "display": ".far .x { display: none }",
    "visibility": ".x { visibility: hidden }",
    "visibility around an element": ".x { visibility: hidden } .x b { visibility: visible }",
    "content": ".x { content-visibility: hidden }",
    "opacity": ".far > .x { opacity: 0 }",
    "opacity of what is around": ".far { opacity: 0 }",
    "size": ".x.x { font-size: 0 }",
    "tiny": ".x { font-size: 1px }",
    "no colour": ".x { color: transparent }",
    "white on white": ".x { color: #fff; background-color: white }",
    "far left": ".x { position: absolute; left: -9999px }",
    "moved away": ".x { transform: translateY(-5000px) }",
    "no scale": ".x { transform: scale(0) }",
    "indented": ".x { text-indent: -9999px; white-space: nowrap; overflow: hidden }",
    "clipped": ".x { position: absolute; clip: rect(0, 0, 0, 0) }",
    "clipped path": ".x { clip-path: inset(50%) }",
    "no height": ".x { max-height: 0; overflow: hidden }",
    "one dot": ".x { position: absolute; width: 1px; height: 1px; overflow: hidden }",
}
SEEN = {
    "overridden": ".x { display: none } .x.y { display: block }",
    "overridden from afar": ".x { opacity: 0 } .far .x { opacity: 1 }",
    "no box": ".x { display: contents }",
    "size of what is around": ".far { font-size: 0 } .x { font-size: 14px }",
    "visible in hidden": ".far { visibility: hidden } .x { visibility: visible }",
    "floating": ".x { float: left }",
    "below": ".x { position: absolute; top: 9000px }",
    "out of a box without height": ".far { height: 0 }",
    "fixed in a box without height": ".far { height: 0; overflow: hidden } .x { position: fixed; top: 0 }",
}


@in_chromium
async def test_what_a_person_does_not_see_is_marked_or_left_out_by_computed_styles() -> None:
    rules = {**UNSEEN, **SEEN}
    hosts = "".join(f"<div class=host title='{name}'></div>" for name in rules)
    script = f"""const rules = {json.dumps(rules)};
        for (const host of document.querySelectorAll('.host'))
          host.attachShadow({{mode: 'open'}}).innerHTML = `<style>${{rules[host.title]}}</style>` +
            `<div class=far><p class="x y">Text of ${{host.title}}.</p></div>`"""
    found = await rendered(
        {
            PAGE: html(
                f"<p hidden class=shown>Shown.</p>{hosts}<style>.shown {{ display: block }}</style><script>{script}</script>"
            )
        }
    )
    tree = lxml.html.document_fromstring(found)
    remove_hidden(tree)
    texts = tree.text_content()
    assert [name for name in UNSEEN if f"Text of {name}." in texts] == []
    assert [name for name in SEEN if f"Text of {name}." not in texts] == []
    assert "Shown." in texts


@in_chromium
async def test_shadow_trees_and_folded_details_are_inside_and_windows_that_wait_for_a_person_hold_nothing_up() -> None:
    body = """<details><summary>More</summary><p>Folded.</p></details><div id=host></div><script>alert('x');
        host.attachShadow({mode: 'open'}).innerHTML = '<p>Within.</p>'; document.body.append(confirm('y') || 'No.')</script>"""
    found = await rendered({PAGE: html(body)})
    assert "<p>Folded.</p>" in found
    assert '<div id="host"><p>Within.</p></div>' in found
    assert "No." in found


@in_chromium
async def test_a_page_that_draws_late_is_waited_for() -> None:
    body = "<nav>Tides</nav><div id=app></div><script>setTimeout(() => app.textContent = 'High water.', 2500)</script>"
    pages = {PAGE: html(body)}
    serve = serving(pages, [])
    assert CHROMIUM
    found = await render_page(CHROMIUM, PAGE, serve, seconds=30, longest=1_000_000, around=["nav"])
    assert '<div id="app">High water.</div>' in found
    with_menu = await render_page(CHROMIUM, PAGE, serve, seconds=30, longest=1_000_000)
    assert '<div id="app"></div>' in with_menu, "any text is enough where nothing else is said"


@in_chromium
async def test_what_is_judged_is_the_text_that_a_person_sees() -> None:
    judged: list[str] = []

    def drawn(text: str) -> bool:
        judged.append(text)
        return True

    body = """<noscript>Enable scripts.</noscript><style>.x { opacity: 0 }</style><p class=x>Unseen.</p><nav>Menu</nav>
        <template>Later.</template><div id=host><i>Slotted.</i></div><p>High  water
        <b>at noon.</b></p><script>host.attachShadow({mode: 'open'}).innerHTML = '<p>Within.</p><slot></slot>'</script>"""
    assert CHROMIUM
    serve = serving({PAGE: html(body)}, [])
    await render_page(CHROMIUM, PAGE, serve, seconds=30, longest=1_000_000, drawn=drawn, around=["nav"])
    assert judged[-1] == "Within.\nSlotted.\nHigh water\nat noon.\n"


@in_chromium
async def test_a_text_that_grows_is_taken_when_it_has_stopped() -> None:
    script = """let place = 0; const more = async () => {
        document.body.insertAdjacentHTML('beforeend', `<p>Sounding ${++place}.</p>`);
        if (place === 5) await fetch('/more');
        if (place < 8) setTimeout(more, 700) }; more()"""
    found = await rendered({PAGE: html(f"<script>{script}</script>"), f"{PAGE}more": ("text/plain", "")})
    assert "<p>Sounding 8.</p>" in found


@in_chromium
async def test_a_page_that_another_of_its_site_replaces_is_waited_for() -> None:
    pages = {
        PAGE: html("<script>setTimeout(() => location.href = '/next', 400)</script>"),
        f"{PAGE}next": html("<script>setTimeout(() => document.body.append('High water.'), 400)</script>"),
    }
    assert "High water." in await rendered(pages)


@in_chromium
async def test_a_page_cannot_replace_what_reads_it() -> None:
    body = """<p>The page.</p><script>
        Document.prototype.querySelectorAll = Element.prototype.querySelectorAll = () => [];
        window.getComputedStyle = () => ({display: 'none'}); Document.prototype.importNode = () => null;
        Object.defineProperty(Element.prototype, 'outerHTML', {get: () => 'Forged.'})</script>"""
    found = await rendered({PAGE: html(body)})
    assert "<p>The page.</p>" in found


@in_chromium
async def test_nothing_gets_around_the_pipe() -> None:
    asked: list[BrowserRequest] = []
    with site() as outside:
        away, socket = outside.url("/"), outside.url("/").replace("http", "ws")
        body = f"""<link rel=preconnect href="{away}"><link rel=dns-prefetch href="{away}"><link rel=prefetch href="{away}p">
            <link rel=stylesheet href="{away}s.css"><img src="{away}i.png"><iframe src="{away}frame"></iframe>
            <object data="{away}object"></object><video src="{away}film"></video><script src="{away}script.js"></script>
            <style>@import url({away}import.css); body {{ background: url({away}b.png) }}</style>
            <a ping="{away}ping" href="#x" id=a>a</a><form id=f action="{away}form" method=post target=_blank></form><script>
            const quietly = (act) => {{ try {{ act() }} catch {{}} }};
            quietly(() => fetch('{away}fetched'));
            quietly(() => fetch('{away}posted', {{method: 'POST', mode: 'no-cors', body: 'x'}}));
            quietly(() => navigator.sendBeacon('{away}beacon', 'x'));
            quietly(() => new WebSocket('{socket}'));
            quietly(() => new EventSource('{away}events'));
            quietly(() => new RTCPeerConnection({{iceServers: [{{urls: 'stun:{outside.host}'}}]}}).createDataChannel('x'));
            quietly(() => new Worker(URL.createObjectURL(new Blob(["importScripts('{away}worker.js'); fetch('{away}w')"]))));
            quietly(() => navigator.serviceWorker.register('/sw.js'));
            quietly(() => window.open('{away}window'));
            quietly(() => document.getElementById('a').click());
            quietly(() => document.getElementById('f').submit());
            document.body.append('It ran.')</script>"""
        found = await rendered({PAGE: html(body), f"{PAGE}sw.js": ("text/javascript", f"fetch('{away}sw')")}, asked)
    assert "It ran." in found
    assert outside.asked == []
    assert any(request.url == f"{away}fetched" for request in asked)


@in_chromium
async def test_a_page_that_is_never_quiet_and_whose_text_never_stops_growing_is_taken_as_it_is() -> None:
    script = """setInterval(() => fetch('/again'), 100);
        setInterval(() => document.body.insertAdjacentHTML('beforeend', '<p>More.</p>'), 50)"""
    assert "<p>More.</p>" in await rendered({PAGE: html(f"<script>{script}</script>")}, seconds=6)


@in_chromium
async def test_a_script_without_end_is_ended() -> None:
    with pytest.raises(PageError, match="longer than 4 seconds"):
        await rendered({PAGE: html("<script>setTimeout(() => { for (;;) {} }, 100)</script>")}, seconds=4)


@in_chromium
async def test_a_page_that_takes_too_much_memory_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_MEMORY", 600_000_000)
    hungry = "const kept = []; setInterval(() => kept.push(new Uint8Array(2e7).fill(1)), 20); setInterval(() => fetch('/'), 200)"
    with pytest.raises(PageError, match=r"more than 0\.6 GB of memory"):
        await rendered({PAGE: html(f"<script>{hungry}</script>")})


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 0", "the browser ended"),
        (r"printf 'nonsense\0' >&4; sleep 61", "another form"),
        (r"""printf '{"id": 1, "result": {"targetInfos": "many"}}\0{"id": 2, "result": {"targetInfos": [1]}}\0' >&4; sleep 61""", "form"),
        (r"""while :; do printf '{"method": "x"}\0' >&4; done""", "too much"),
        ("yes yes >&4", "too much"),
        ("sleep 61 & sleep 61", "longer than"),
    ],
)  # fmt: skip
async def test_a_browser_that_was_taken_over_is_not_believed_and_leaves_nothing(
    script: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STARTING", 20.0 if reason != "longer than" else 0.5)
    hostile = tmp_path / "chromium"
    seconds = f"61.{os.getpid()}"  # tests beside this one have sleepers of their own
    hostile.write_text(f"#!/bin/sh\n{script.replace('61', seconds)}\n")
    hostile.chmod(0o755)
    before = {process.pid for process in psutil.process_iter()}
    with pytest.raises(PageError, match=reason):
        await render_page(str(hostile), PAGE, serving({}, []), seconds=0.5, longest=1_000)
    left = [one for one in psutil.process_iter(["cmdline"]) if one.pid not in before]
    assert not [one for one in left if one.info["cmdline"] == ["sleep", seconds]]


async def test_where_no_browser_can_be_locked_in_none_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing: Callable[..., list[str]] = lambda *_, **__: []  # noqa: E731 - as short as that
    monkeypatch.setattr(module, "jailed_browser", nothing)
    with pytest.raises(PageError, match="cannot lock a browser in"):
        await render_page(str(tmp_path / "chromium"), PAGE, serving({}, []), seconds=5, longest=1_000)


async def test_a_browser_that_ends_before_it_has_a_page_is_started_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Path] = []
    command = jailed_browser

    def counted(start: list[str], work: Path, browser: str, *, file_size: int) -> list[str]:
        started.append(work)
        return command(start, work, browser, file_size=file_size)

    monkeypatch.setattr(module, "jailed_browser", counted)
    failing = tmp_path / "chromium"
    failing.write_text("#!/bin/sh\nexit 1\n")
    failing.chmod(0o755)
    with pytest.raises(PageError, match="the browser ended"):
        await render_page(str(failing), PAGE, serving({}, []), seconds=5, longest=1_000)
    assert len(set(started)) == 2
    assert not any(work.exists() for work in started)
