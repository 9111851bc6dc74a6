"""Reading a report and going on from it: sources with their quotes, citations by keyboard, the review's steps, the box, the language."""

import json

import httpx
import pytest

from tests.fakes.browser import Page
from tests.pages.conftest import (
    QUESTION,
    REPORT,
    SIMPLE,
    Site,
    ask,
    button,
    choose,
    opened,
    report_text,
    status,
    text,
    under_review,
)

FOCUSED = f"({REPORT}.activeElement || document.activeElement)"
FEW = 4
"""Keys from the beginning of the page's content to the first citation."""
PILLS = """
[...document.querySelectorAll('svg.wide .node')].map(node => {
  const [pill, words] = [node.querySelector('rect'), node.querySelector('text')].map(part => part.getBBox());
  return pill.width - words.width;
})
"""


@pytest.fixture(scope="module")
def thread(served: Site) -> str:
    """A thread with a report."""
    asked = {"assistant_id": "deep_research", "input": {"question": SIMPLE}, "context": {"depth": "quick"}}
    with httpx.Client(base_url=served.address, timeout=60) as http:
        made = str(http.post("/threads", json={"metadata": {"title": SIMPLE}}).json()["thread_id"])
        http.post(f"/threads/{made}/runs/wait", json=asked).raise_for_status()
    return made


@pytest.fixture
def reported(page: Page, site: Site, thread: str) -> Page:
    """Open the report."""
    opened(page, site.address)
    page.open(f"{site.address}/?thread={thread}")
    status(page, "done")
    report_text(page)
    return page


def test_a_source_opens_with_its_text_and_the_quote_in_view(reported: Page) -> None:
    page = reported
    entry = f"{REPORT}.querySelector('.references li:has(blockquote)')"
    page.evaluate(f"{entry}.querySelector('details').open = true")
    quote = page.evaluate(f"[...{entry}.querySelectorAll('blockquote')].at(-1).dataset.quote")
    page.click(f"[...{entry}.querySelectorAll('blockquote .text-of')].at(-1)")
    page.wait("document.querySelector('#source[open] mark.seen')", "the quote in its text")
    assert " ".join(page.evaluate("document.querySelector('#source mark.seen').textContent").split()) == " ".join(
        quote.split()
    )
    assert len(page.evaluate("document.querySelector('#source .text').textContent")) > len(quote)
    in_view = """(() => {
      const mark = document.querySelector('#source mark.seen').getBoundingClientRect();
      const box = document.querySelector('#source .text').getBoundingClientRect();
      return mark.top >= box.top && mark.bottom <= box.bottom && box.bottom <= innerHeight;
    })()"""
    assert page.evaluate(in_view)
    page.press("Escape", 27)
    page.wait("!document.getElementById('source').open")
    assert page.evaluate(f"{FOCUSED}.classList.contains('text-of')")


def test_a_citation_is_a_few_keys_away_and_escape_leads_back_to_it(reported: Page) -> None:
    page = reported
    page.evaluate("document.getElementById('main').focus()")
    for _ in range(FEW):
        page.press("Tab", 9)
        if page.evaluate(f"{FOCUSED}.matches('.cite .mark')"):
            break
    assert page.evaluate(f"{FOCUSED}.matches('.cite .mark')")
    tip = f"getComputedStyle({REPORT}.querySelector('.cite .tip')).display"
    assert page.evaluate(tip) == "block"
    page.press("Escape", 27)
    assert page.evaluate(tip) == "none"
    assert page.evaluate(f"{FOCUSED}.matches('.cite .mark')")
    page.press("Enter", 13, text="\r")
    page.wait(f"{FOCUSED}.id.startsWith('ref-')", "the reference")
    page.press("Escape", 27)
    assert page.evaluate(f"{FOCUSED}.matches('.cite .mark')")


def test_the_review_says_what_was_found_and_opens_one_step_at_a_time(page: Page, site: Site) -> None:
    opened(page, site.address)
    under_review(page)
    assert min(page.evaluate(PILLS)) >= 12, "a name touches the edge of its pill"
    around = text(page, ".around")
    assert around.startswith("A first search found “")
    assert around.endswith(" results in documents.")
    are_open = "[...document.querySelectorAll('.edited details')].map(one => one.open)"
    assert page.evaluate(are_open) == [False, False]
    for place in (0, 1):
        page.click(f"document.querySelectorAll('.edited summary')[{place}]")
        page.wait(f"document.querySelectorAll('.edited details')[{place}].open")
        assert page.evaluate(are_open) == [place == 0, place == 1]
    page.click("document.querySelectorAll('.edited li')[1].querySelector('[data-act=up]')")
    assert page.evaluate(are_open) == [True, False]
    page.click(button("Add a step"))
    page.wait(f"{are_open}.join() === 'false,false,true'", "the new step alone to be open")


def test_the_review_of_a_further_plan_numbers_its_steps_on(page: Page, site: Site) -> None:
    opened(page, site.address)
    step = {"description": "", "step_type": "research", "queries": [], "tools": []}
    steps = [
        {**step, "id": "4", "title": "Ropes", "depends_on": ["2"]},
        {**step, "id": "5", "title": "Leads", "depends_on": ["4"]},
    ]
    script = """import('/page/review.js').then(({ reviewForm }) => {
      const form = reviewForm({ plan: { title: '', steps: STEPS } }, () => true);
      document.body.append(form);
      const shown = () => [...form.querySelectorAll('.edited > li')].map((step) => [...step.querySelectorAll('.number, .small-row .soft')].map((one) => one.textContent));
      const before = shown();
      form.querySelector('[data-act=down]').click();
      return [before, shown()];
    })"""
    before, moved = page.evaluate(script.replace("STEPS", json.dumps(steps)))
    assert before == [["Step 4", "Needs the results of 2"], ["Step 5", "Needs the results of 4"]]
    assert moved == [["Step 4", "Needs the results of 5"], ["Step 5", "Needs the results of 2"]]


def test_the_box_says_what_typing_does_while_a_run_goes_on(page: Page, site: Site) -> None:
    hint = "document.getElementById('question').placeholder"
    site.model.hold_role("reporter")
    opened(page, site.address)
    choose(page, depth="quick")
    before = page.evaluate(hint)
    ask(page, SIMPLE)
    page.wait(f"{hint} === 'Say what to change: only…, also…, skip step 2…'", "what typing does")
    page.wait("document.querySelector('.node[data-node=reporter][data-state=running]')", "the report")
    page.write(QUESTION)
    page.press("Enter", 13, text="\r")
    page.wait("!document.getElementById('banner').hidden")
    assert "The report is being written" in text(page, "#banner")
    assert "Ask a follow-up when it is finished" in text(page, "#banner")
    page.logged[:] = [one for one in page.logged if "409" not in one]  # the browser's own words
    assert page.evaluate("document.getElementById('question').value") == QUESTION
    site.model.release()
    status(page, "done")
    assert page.evaluate(hint) == "Ask a follow-up…"
    page.click("document.getElementById('new-question')")
    assert page.evaluate(hint) == before


def test_tables_and_code_have_their_shape_while_the_report_is_written(page: Page, site: Site) -> None:
    opened(page, site.address)
    written = "# Depths\n\n| Ship | Depth |\n|---|---|\n| Kai\\|ko | **10,911 m** [E1-1] |\n| Nereus | 10,9\n\n```sh\nsound one\n\nsound two\n```\n\n```chart\n{}"
    shown = f"view.show({{ drafts: new Map([['1', {json.dumps(written)}]]), status: '' }}); document.body.append(view.element);"
    page.evaluate(f"import('/page/draft.js').then(({{ draftView }}) => {{ const view = draftView(); {shown} }})")
    cells = page.evaluate(
        "[...document.querySelectorAll('.draft tr')].map(row => [...row.children].map(cell => cell.textContent))"
    )
    assert cells == [["Ship", "Depth"], ["Kai|ko", "10,911 m•"], ["Nereus", "10,9"]]
    assert page.evaluate("document.querySelector('.draft td strong').textContent") == "10,911 m"
    code = page.evaluate("[...document.querySelectorAll('.draft pre')].map(code => code.textContent)")
    assert code == ["sound one\n\nsound two", "…"]


def test_a_new_question_right_after_the_language_is_not_lost(reported: Page) -> None:
    page = reported
    both = "document.getElementById('language').click(); document.getElementById('new-question').click()"
    page.evaluate(both)
    page.wait("document.documentElement?.lang === 'zh-CN' && document.querySelector('#run-list li')", "Chinese")
    assert page.evaluate("location.search") == ""
    assert page.evaluate("document.getElementById('welcome').checkVisibility()")


def test_a_new_question_before_the_page_has_loaded_its_scripts_is_not_lost(reported: Page) -> None:
    page = reported
    early = """new MutationObserver((_, watch) => {
      const link = document.getElementById('new-question');
      if (!link || !location.search) return;
      watch.disconnect();
      link.click();
    }).observe(document, { childList: true, subtree: true });"""
    page.call("Page.addScriptToEvaluateOnNewDocument", source=early)
    page.evaluate(f"localStorage.setItem('leadline-language', {json.dumps('zh')}); location.reload()")
    page.wait("document.documentElement?.lang === 'zh-CN' && document.querySelector('#run-list li')", "Chinese")
    page.wait("location.search === ''", "the empty page")
    assert page.evaluate("document.getElementById('welcome').checkVisibility()")


def test_on_a_phone_a_citation_opens_its_quote_and_the_text_around_it(reported: Page) -> None:
    page = reported
    page.call("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=False)
    page.evaluate("new Promise(done => setTimeout(done, 500))")  # the page takes its new form
    mark = f"{REPORT}.querySelector('.cite .mark')"
    page.evaluate(f"{mark}.scrollIntoView({{ block: 'center', behavior: 'instant' }})")
    page.click(mark)
    tip = f"{REPORT}.querySelector('.cite.open .tip')"
    page.wait(f"{tip} && {tip}.getBoundingClientRect().bottom === 800", "the sheet at the foot of the window")
    at_foot = f"{REPORT}.elementFromPoint(195, 780)?.closest('.tip') === {tip}"
    assert page.evaluate(at_foot), "nothing covers the sheet"
    around = f"{tip}.querySelector('.around')"
    page.wait(around, "what stands around the quote")
    words = page.evaluate(f"[{around}.querySelector('mark').textContent, {around}.textContent]")
    assert words[0] in words[1]
    assert len(words[1]) > len(words[0]) + 100
    assert "# " not in words[1], "the mark of a heading above it"
    assert page.evaluate(f"Math.min(...[...{tip}.querySelectorAll('.ways > *')].map(way => way.offsetHeight))") >= 44
    page.click(f"{tip}.querySelectorAll('.ways button')[1]")
    page.wait("document.querySelector('#source[open] mark.seen')", "the quote in its text")
    page.press("Escape", 27)
    page.click(mark)
    assert page.evaluate(f"{tip}.querySelector('.ways button').textContent") == "Close"
    page.click(f"{tip}.querySelector('.ways button')")
    assert page.evaluate(f"{tip} === null && {FOCUSED} === {mark}")


def test_what_stands_around_a_quote_has_no_marks_of_markdown_but_the_signs_of_its_code(reported: Page) -> None:
    text = "## Depth\n\nThe **Challenger Deep** and **its name**.\n\ndef sound(*all, **named): return 2 ** 3\n# a comment\n"
    shown = reported.evaluate(f"import('/page/source.js').then(own => own.withoutMarks({json.dumps(text)}))")
    assert shown == ("Depth\nThe Challenger Deep and its name.\ndef sound(*all, **named): return 2 ** 3\n# a comment\n")
