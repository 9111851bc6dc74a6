"""The page from the question to the evidence, as people use it: with the mouse, by keyboard alone, in Chinese, on a phone."""

import re
from typing import get_args

import httpx
import pytest

from schemas.evidence import NamedKind
from tests.fakes.browser import Page
from tests.pages.conftest import (
    QUESTION,
    REPORT,
    SIMPLE,
    Site,
    ask,
    button,
    opened,
    report_text,
    status,
    text,
    under_review,
    unfold,
)


def test_from_the_question_over_a_changed_plan_to_the_evidence(page: Page, site: Site) -> None:
    opened(page, site.address)
    unfold(page)
    page.click("document.getElementById('review')")
    ask(page, QUESTION)
    page.wait("document.querySelector('form.review')", "the review of the plan")
    assert page.evaluate("document.activeElement.closest('form.review') !== null")

    # the second step first, another query, one step more
    second = page.evaluate("document.querySelectorAll('.edited li')[1].querySelector('input').value")
    page.click("document.querySelectorAll('.edited li')[1].querySelector('[data-act=up]')")
    assert page.evaluate("document.querySelector('.edited li input').value") == second
    page.click(button("Add a step"))
    page.write("How deep the sounding of 1875 was")
    page.click("document.querySelectorAll('.edited li')[2].querySelectorAll('textarea')[1]")
    page.write("The sounding of 1875")
    assert text(page, ".review .primary") == "Accept the changed plan"
    page.click("document.querySelector('.review .primary')")

    status(page, "done")
    assert "Lalla Rookh" in report_text(page)
    page.click("[...document.querySelectorAll('.work > summary')].at(-1)")
    steps = page.evaluate("[...document.querySelectorAll('.steps .name')].map(e => e.textContent)")
    assert steps[0] == second
    assert steps[2] == "How deep the sounding of 1875 was"
    assert (
        page.evaluate("document.querySelectorAll('.steps [data-status=done], .steps [data-status=failed]').length") >= 3
    )
    assert page.evaluate("document.querySelectorAll('.arrived li').length") > 0
    lit = "[...document.querySelectorAll('svg.wide .node[data-state=done]')].map(e => e.dataset.node)"
    assert {"coordinator", "planner", "human_feedback", "research_team", "researcher", "reporter"} <= set(
        page.evaluate(lit)
    )

    # the evidence behind a citation
    tip = f"{REPORT}.querySelector('.cite .tip')"
    assert page.evaluate(f"getComputedStyle({tip}).display") == "none"
    page.hover(f"{REPORT}.querySelector('.cite .mark')")
    assert page.evaluate(f"getComputedStyle({tip}).display") == "block"
    quote = page.evaluate(f"{tip}.querySelector('q').textContent")
    thread = page.evaluate("new URL(location.href).searchParams.get('thread')")
    evidence = httpx.get(f"{site.address}/reports/{thread}/evidence.json", timeout=30).json()
    assert quote in [" ".join(one["quote"].split()) for one in evidence["excerpts"]]


def test_a_plan_can_be_changed_in_words_and_accepted_as_it_is(page: Page, site: Site) -> None:
    opened(page, site.address)
    unfold(page)
    page.click("document.getElementById('review')")
    ask(page, QUESTION)
    page.wait("document.querySelector('form.review')")
    page.click("document.querySelector('.in-words textarea')")
    page.write("also the silver chromate tube")
    page.reload()
    assert len(page.dialogs) == 1, "what is not sent is nowhere else"
    page.dialogs.clear()
    page.wait("document.querySelector('form.review')")
    page.reload()
    assert page.dialogs == [], "nothing is lost"
    page.wait("document.querySelector('form.review')")
    page.click("document.querySelector('.in-words textarea')")
    page.write("also the silver chromate tube")
    page.click(button("Plan again"))
    page.wait(
        "[...document.querySelectorAll('.edited textarea')].some(e => e.value.includes('chromate'))", "a new plan"
    )
    page.click(button("Remove step 1"))
    left = page.evaluate("document.querySelectorAll('.edited li').length")
    page.click("document.querySelector('.review .primary')")
    status(page, "done")
    assert page.evaluate("document.querySelectorAll('.plan .steps')[0].children.length") == left


def test_a_plan_that_is_refused_keeps_its_changes(page: Page, site: Site) -> None:
    opened(page, site.address)
    under_review(page, max_step_num=2)
    page.click(button("Add a step"))
    page.write("One step too many")
    page.click("document.querySelector('.review .primary')")
    page.wait("document.querySelector('.review .problem')", "why the plan is refused")
    assert "at most 2 are allowed" in text(page, ".review .problem")
    assert page.evaluate("document.querySelectorAll('.edited input')[2].value") == "One step too many"
    page.click(button("Remove step 1"))
    page.click("document.querySelector('.review .primary')")
    report_text(page)
    assert "One step too many" in page.evaluate("document.querySelector('.steps').textContent")


def test_settings_are_those_of_the_run_and_are_kept(page: Page, site: Site) -> None:
    opened(page, site.address)
    page.click("document.getElementById('open-settings')")
    page.wait("document.querySelector('#settings form')")
    fields = page.evaluate(
        "[...document.querySelectorAll('#settings [id^=set-]')].map(e => e.id).filter(id => !id.endsWith('-help'))"
    )
    assert {
        "set-max_step_num",
        "set-locale",
        "set-search-duckduckgo",
        "set-max_cost",
        "set-models",
        "set-prompts",
    } <= set(fields)
    page.evaluate("document.getElementById('set-models').value = '{'")
    page.click(button("Save"))
    assert "not valid JSON" in text(page, "#settings .problem")
    page.evaluate(
        "document.getElementById('set-models').value = ''; document.getElementById('set-max_step_num').value = '1'"
    )
    bare = "[...document.querySelectorAll('#settings select:not([multiple]) option')].filter(e => e.value && e.value === e.textContent)"
    assert page.evaluate(f"{bare}.map(e => e.value)") == []
    page.evaluate("document.getElementById('set-locale').value = 'klingon!!'")
    page.click(button("Save"))
    page.wait("document.querySelector('#settings .problem').innerText.includes('klingon!!')", "why it is not saved")
    assert text(page, "#settings .problem").startswith(
        "“Language of the report” cannot be 'klingon!!': it must be auto"
    )
    page.logged[:] = [one for one in page.logged if "422" not in one]  # the browser's own words
    page.evaluate(
        "document.getElementById('set-locale').value = 'zh-CN'; document.getElementById('set-words').value = 1"
    )
    page.click(button("Save"))
    page.wait("document.activeElement.id === 'set-words'", "the field, although Advanced was closed")
    page.evaluate("document.getElementById('set-words').value = ''")
    kinds = "[...document.querySelectorAll('#set-exclude_kinds option')]"
    assert page.evaluate(f"{kinds}.map(e => e.value)") == list(get_args(NamedKind))
    page.evaluate(
        f"{kinds}.filter(e => ['forum', 'personal'].includes(e.value)).forEach(e => {{ e.selected = true; }})"
    )
    page.click(button("Save"))
    page.wait("!document.getElementById('settings').open")
    kept = page.evaluate("JSON.parse(localStorage.getItem('leadline-choices'))")
    assert kept.pop("exclude_kinds") == ["forum", "personal"]
    assert kept == {"max_plan_iterations": 1, "max_step_num": 1, "locale": "zh-CN"}
    ask(page, QUESTION)
    assert "参考" in report_text(page)
    assert page.evaluate("document.querySelectorAll('.steps > li').length") == 1


def test_by_keyboard_alone(page: Page, site: Site) -> None:
    opened(page, site.address)
    page.evaluate("document.querySelector('.skip').focus()")
    assert page.evaluate("document.querySelector('.skip').getBoundingClientRect().left >= 0")
    page.press("Enter", 13, text="\r")
    reach(page, "question")
    page.write(SIMPLE)
    page.press("Enter", 13, text="\r")
    report_text(page)
    marks = f"{REPORT}.activeElement?.className === 'mark'"
    for _ in range(40):
        if page.evaluate(marks):
            break
        page.press("Tab", 9, shift=True)
    assert page.evaluate(marks), "a citation can be reached with the Tab key"
    assert page.evaluate(f"getComputedStyle({REPORT}.activeElement.nextElementSibling).display") == "block"
    page.press("Escape", 27)
    assert page.evaluate(f"getComputedStyle({REPORT}.activeElement.nextElementSibling).display") == "none"
    page.press("Enter", 13, text="\r")
    assert page.evaluate(f"{REPORT}.activeElement.id.startsWith('ref-')")


def reach(page: Page, element: str) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(60):
        if page.evaluate("document.activeElement.id") == element:
            return
        page.press("Tab", 9)
    pytest.fail(f"{element} cannot be reached with the Tab key")


def test_in_chinese_by_the_browsers_own_language(page: Page, site: Site) -> None:
    page.call("Network.setUserAgentOverride", userAgent="Chromium of the tests", acceptLanguage="zh-CN")
    opened(page, site.address)
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    assert text(page, "h1") == "您想了解什么？"
    untranslated = "[...document.querySelectorAll('[data-say]')].filter(e => !/[\\u4e00-\\u9fff]/.test(e.textContent)).map(e => e.dataset.say)"
    assert page.evaluate(untranslated) == []
    ask(page, SIMPLE)
    report_text(page)
    assert "研究完成" in text(page, ".work")
    page.click("document.getElementById('open-settings')")
    page.wait("document.querySelector('#settings form')")
    plain = "[...document.querySelectorAll('#settings label:not(.boxes *), #settings .help, #settings select option[value]')].map(e => e.textContent).filter(t => !/[\\u4e00-\\u9fff]/.test(t))"
    assert page.evaluate(plain) == []
    named = "[...document.querySelectorAll('#settings :is(.field:has(select) .help, .boxes label)')].map(e => e.textContent)"
    raw = [one for one in page.evaluate(named) if re.search(r"\b(?:full|report|data|code|model|code search)\b", one)]
    assert raw == [], "the form's own words are those of its choices"
    page.click("document.querySelector('#settings .buttons .plain')")
    page.click("document.getElementById('language')")
    page.wait("document.documentElement?.lang === 'en'", "English")


@pytest.mark.parametrize(("width", "dark"), [(360, True), (768, False), (1280, True)])
def test_everything_stays_in_the_window_and_has_enough_contrast(page: Page, site: Site, width: int, dark: bool) -> None:
    opened(page, site.address, width=width, dark=dark)
    assert flaws(page) == []
    if width == 1280:
        report_with_review(page)
        assert flaws(page) == []


def test_on_a_phone_a_finger_hits_everything_that_can_be_pressed(page: Page, site: Site) -> None:
    opened(page, site.address, width=390, height=844)
    assert flaws(page, SMALL) == []
    unfold(page)
    assert flaws(page, SMALL) == []
    report_with_review(page)
    assert flaws(page, SMALL) == []
    page.click("document.getElementById('open-settings')")
    page.wait("document.querySelector('#settings form')", "the settings")
    page.click("document.querySelector('#settings summary')")
    assert page.evaluate(SMALL) == []
    page.click("document.querySelector('#settings .buttons .plain')")
    page.click("document.getElementById('open-runs')")
    page.wait("document.getElementById('runs').classList.contains('shown')", "the past runs")
    assert page.evaluate(SMALL) == []


def report_with_review(page: Page) -> None:
    """Ask, check how the plan for review is shown, accept it, and unfold how the report came about."""
    under_review(page)
    assert flaws(page) == []
    page.click("document.querySelector('.review .primary')")
    report_text(page)
    page.click("document.querySelector('.work > summary')")


def flaws(page: Page, *more: str) -> list[str]:
    """Return what is outside of the window, pale or without a name, and what more scripts find."""
    return [one for script in (OUTSIDE, CONTRAST, UNNAMED, *more) for one in page.evaluate(script)]


OUTSIDE = "document.documentElement.scrollWidth > innerWidth ? ['the window is too narrow'] : []"
CONTRAST = """
(() => {
  const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b; };
  const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (/^rgb\\(/.test(c)) return c; } return getComputedStyle(document.body).backgroundColor; };
  const poor = [];
  for (const e of document.querySelectorAll('body *')) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !e.checkVisibility({visibilityProperty: true}) || e.closest('svg, .sr, option, noscript, .skip, :disabled')) continue;
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) poor.push(e.outerHTML.slice(0, 90));
  }
  return poor;
})()
"""
UNNAMED = """
[...document.querySelectorAll('button, input, select, textarea, a[href], dialog, nav, form')]
  .filter(e => e.checkVisibility() && !(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || e.labels?.length || e.textContent.trim()))
  .map(e => e.outerHTML.slice(0, 90))
"""
SMALL = """
[...document.querySelectorAll('button, select, summary, input, .choice, #depth label, .runs a')]
  .filter(e => e.checkVisibility({visibilityProperty: true}) && !e.matches('label input'))
  .filter(e => e.offsetWidth < 44 || e.offsetHeight < 44).map(e => e.outerHTML.slice(0, 90))
"""
