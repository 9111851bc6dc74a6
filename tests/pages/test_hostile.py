"""What comes from models, documents and files is data in our page, wherever it is shown; nothing of it runs, loads or leaves."""

import json
from pathlib import Path
from typing import Any

import httpx

from tests.fakes.browser import Page
from tests.fakes.openai_server import completion
from tests.pages.conftest import QUESTION, REPORT, Site, ask, choose, opened, report_text
from tests.pages.test_attachments import choose_files
from tests.services.reports.vectors import VECTORS

LINES = [" ".join(one.replace("\x00", "").split()) for one in VECTORS]
COUNT = "document.querySelectorAll('script, iframe, object, embed, base, meta, link, form, img, video, audio, marquee').length"


def test_hostile_text_in_plan_sources_and_report_stays_text(page: Page, site: Site, tmp_path: Path) -> None:
    files = []
    for number, line in enumerate(LINES[:12]):
        file = tmp_path / f"{number}.md"
        file.write_text(f"# {line}\n\nThe tallow of the lead number {number} was pressed in. {line}\n", "utf-8")
        files.append(file)
    script = site.model.endpoint.script
    script["planner"] = [json.dumps(plan())]
    asked: dict[str, Any] = {"model": "m", "stream": True, "messages": [], "stream_options": {"include_usage": True}}
    body = "\n\n".join(
        [
            *LINES,
            *(f"# {one}" for one in LINES[:20]),
            *(f"- {one}" for one in LINES[:20]),
            *(f"**{one}**" for one in LINES),
        ]
    )
    written = completion(asked, f"{body}\n\n===\n{LINES[0]}\n{LINES[10]}\n{LINES[47]}")
    written.gate = site.model.let
    script["reporter"] = [written]
    site.model.hold_role("nobody")

    opened(page, site.address)
    choose(page, review_plan=True, max_plan_iterations=1)
    before = page.evaluate(COUNT)
    choose_files(page, *files)
    page.wait(f"document.querySelectorAll('#attached li:not(.sending)').length === {len(files)}")
    ask(page, f"{QUESTION} <img src=x onerror=alert(100)>")
    page.wait("document.querySelector('form.review')")
    assert page.evaluate("document.querySelector('.edited li input').value") == LINES[0]
    assert page.evaluate(COUNT) == before + 1  # the review is a form
    page.click("document.querySelector('.review .primary')")
    page.wait("document.querySelector('.draft')?.checkVisibility()", "the draft")
    site.model.release()
    report_text(page)
    page.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
    assert page.evaluate(COUNT) == before + 1  # the form that changes the report
    assert page.evaluate("document.querySelectorAll('.arrived li').length") > 0
    assert page.evaluate(BAD) == []
    page.evaluate(
        f"{REPORT}.querySelectorAll('a, [tabindex]').forEach(e => {{ e.focus(); e.dispatchEvent(new MouseEvent('mouseover', {{bubbles: true}})); }})"
    )
    page.evaluate("new Promise(done => setTimeout(done, 200))")
    page.reload()
    report_text(page)
    assert page.evaluate(COUNT) == before + 1
    assert page.evaluate(BAD) == []


def test_a_long_draft_does_not_freeze_the_page(page: Page, site: Site) -> None:
    opened(page, site.address)
    for unit in (" ", "[B1", "[x: B1", "**a", "#" + " " * 99, "\n\n" + "|a" * 99, "```\n\n"):
        text = f"#{(unit * 400_000)[:400_000]}x\ny"
        shown = f"view.show({{ drafts: new Map([['1', {json.dumps(text)}]]), status: '' }}); return view.element.textContent.length;"
        drawn = f"import('/page/draft.js').then(({{ draftView }}) => {{ const view = draftView(); {shown} }})"
        assert page.evaluate(drawn) > 0, unit


def plan() -> dict[str, Any]:
    """Return a plan with a vector in every place."""
    steps = [
        {"id": str(place + 1), "title": LINES[place], "description": LINES[20 + place], "step_type": "research", "need_web_search": True,
         "queries": ["tallow pressed into the lead", *LINES[30 + 4 * place : 34 + 4 * place]], "depends_on": []}
        for place in range(2)
    ]  # fmt: skip
    thought = " ".join(LINES)
    return {"locale": "en-US", "has_enough_context": False, "thought": thought, "title": LINES[9], "steps": steps}


BAD = f"""
(() => {{
  const bad = [];
  const roots = [document.body, ...[...document.querySelectorAll('.report-host')].map(e => e.shadowRoot)];
  for (const e of roots.flatMap(root => [...root.querySelectorAll('*')])) for (const a of e.attributes)
    if (/^on/i.test(a.name) || a.name === 'style' && !e.closest('.tip') || /^(href|src|action|formaction|xlink:href|data)$/i.test(a.name) && !/^(https?:|#|\\/|\\.\\/|\\?|(page|reports)\\/)/i.test(a.value)) bad.push(`${{e.tagName}} ${{a.name}}=${{a.value}}`);
  bad.push(...{REPORT}.querySelectorAll('script, iframe, img, object, embed, form, link, base'));
  return bad;
}})()
"""


def test_every_file_of_the_page_comes_with_a_policy_that_allows_nothing_inline(site: Site) -> None:
    with httpx.Client(base_url=site.address) as http:
        for path in ("/", "/page/app.js", "/page/layout.css", "/page/tokens.css", "/page/report.css", "/page/icon.svg"):
            answer = http.get(path)
            assert answer.status_code == 200, path
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert "require-trusted-types-for 'script'" in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
        assert (
            http.get("/page/app.js", headers={"If-None-Match": http.get("/page/app.js").headers["etag"]}).status_code
            == 304
        )
        for path in ("/page/", "/page/../served.py", "/page/%2e%2e/served.py", "/page/nothing.js"):
            assert http.get(path).status_code == 404, path


def test_no_string_becomes_html_but_in_the_one_place_for_reports() -> None:
    from leadline.server.page import PAGE

    for file in PAGE.glob("*.js"):
        source = file.read_text("utf-8")
        sinks = (
            source.count("innerHTML")
            + source.count("insertAdjacentHTML")
            + source.count("outerHTML")
            + source.count("document.write")
        )
        assert sinks == (1 if file.name == "report.js" else 0), file.name
        assert "eval(" not in source
    assert "style=" not in (PAGE / "index.html").read_text("utf-8")


def test_a_page_that_somebody_tampered_with_cannot_make_html(page: Page, site: Site) -> None:
    opened(page, site.address)
    refused = page.evaluate(
        "(() => { try { document.body.innerHTML = '<b>x</b>'; return ''; } catch (e) { return e.name; } })()"
    )
    assert refused == "TypeError"
    page.logged.clear()  # the browser reports what it refused
