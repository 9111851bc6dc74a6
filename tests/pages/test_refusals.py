"""What goes wrong is told on the page in the page's words: what to do there, or whom to ask."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.browser import Page
from tests.fakes.openai_server import error as model_error
from tests.pages.conftest import QUESTION, Site, ask, button, choose, opened, report_text, serving, status, text
from tests.services.run.test_ui_text import OF_A_COMMAND_LINE

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a search that there is not": ({"search": "altavista"}, "There is no search 'altavista'"),
    "a search without a key": ({"search": "tavily"}, "“Where to search” in the settings: DuckDuckGo needs no key"),
    "another search without a key": ({"search": "brave"}, "“Where to search” in the settings"),
    "a folder that is not open": ({"documents": ["/etc"]}, "“Document folders” in the settings"),
    "a folder that does not exist": ({"documents": ["nowhere"]}, "“Document folders” in the settings"),
    "a number out of bounds": ({"max_step_num": 99}, "“Steps per plan” cannot be 99"),
    "a provider that is not set up": ({"models": {"default": {"model": "anthropic:x"}}}, "“Models” in the settings"),
    "an endpoint that there is not": ({"models": {"default": {"endpoint": "mars"}}}, "“Models” in the settings"),
    "a parameter that is not a run's": ({"models": {"default": {"extra": {"api_base": "x"}}}}, "no run and no profile"),
    "a model's file": ({"models": {"default": {"model": "llamacpp:/etc/x.gguf"}}}, "“Models” in the settings"),
    "a profile that there is not": ({"profile": "nobody"}, "“Profile”"),
    "a program as tool server": ({"mcp_servers": {"mine": {"command": "sh"}}}, "“Tool servers” in the settings"),
    "a private tool server": ({"mcp_servers": {"mine": {"url": "http://127.0.0.1:9/mcp"}}}, "“Tool servers” in the settings"),
    "a cost of unknown price": (
        {"max_cost": 1, "models": {"default": {"model": "nameless"}}},
        "“Cost in US dollars” in the settings",
    ),
    "a prompt that is none": ({"prompts": {"planner": "{{ nothing }}"}}, "uses the variable 'nothing', which does not exist"),
}  # fmt: skip


def told(page: Page) -> str:
    """Return what the page says went wrong, and what it cannot say: nothing of the command line."""
    said = str(
        page.wait(
            "document.querySelector('.ending .problem, #banner:not([hidden]).problem')?.innerText", "what is wrong"
        )
    )
    assert not OF_A_COMMAND_LINE.search(said), said
    return said


def test_a_choice_that_is_refused_is_named_as_the_settings_form_names_it(page: Page, site: Site) -> None:
    opened(page, site.address)
    for what, (choices, expected) in REFUSED.items():
        begin_anew(page)
        choose(page, max_plan_iterations=1, **choices)
        ask(page, QUESTION)
        assert expected in told(page), what
    page.logged[:] = [one for one in page.logged if "Failed to load resource" not in one]  # the browser's own words


@pytest.mark.parametrize(
    ("form", "field", "given", "said"),
    [
        ("open-settings", "set-models", "[]", "“模型”不能是 所给的值：应为带名称的各项设置"),
        ("open-settings", "set-prompts", '"x"', "“提示词”不能是 'x'：应为带名称的各项设置"),
        ("open-settings", "set-exclude_domains", "no domain!", "'no domain!' 不是域名。"),
        ("model", "connect-endpoint", "ftp://example.com", "端点不是网址。"),
        ("model", "connect-key", "sk-0 1", "密钥中有密钥不会包含的字符。"),
        ("model", "connect-model", "anthropic:x", "anthropic:x 要通过其提供商的软件包调用。"),
    ],
)
def test_what_is_typed_wrong_is_told_in_chinese(
    page: Page, bare: tuple[str, Path], form: str, field: str, given: str, said: str
) -> None:
    page.call("Page.addScriptToEvaluateOnNewDocument", source="localStorage.setItem('leadline-language', 'zh')")
    opened(page, bare[0])
    page.wait(f"!document.getElementById('{form}').hidden", "the button")
    page.click(f"document.getElementById('{form}')")
    page.wait("document.querySelector('dialog[open] form')", "the form")
    page.evaluate("document.getElementById('connect-key')?.setAttribute('value', 'sk-0')")
    page.evaluate(f"document.getElementById('{field}').value = {json.dumps(given)}")
    page.click("document.querySelector('dialog[open] [type=submit]')")
    page.wait("document.querySelector('dialog[open] .problem:not([hidden])')", "what is wrong")
    assert text(page, "dialog[open] .problem").startswith(said)
    page.logged[:] = [one for one in page.logged if "422" not in one]  # the browser's own words


def begin_anew(page: Page) -> None:
    """Leave what is shown for a new question."""
    page.click("document.getElementById('new-question')")
    page.wait("!document.querySelector('.ending') && document.getElementById('banner').hidden", "an empty page")


def test_an_endpoint_that_refuses_names_whom_to_ask(page: Page, site: Site) -> None:
    opened(page, site.address)
    for code, words in ((401, "rejected the key"), (403, "forbids")):
        begin_anew(page)
        site.model.endpoint.script["coordinator"] = [model_error(code, "No.", "refused")]
        ask(page, QUESTION)
        status(page, "failed")
        said = told(page)
        assert words in said
        assert "The operator of this server finds what to do in its log." in said
    page.click(button("Try again"))
    report_text(page)


def test_help_of_the_settings_is_help_for_a_page(page: Page, site: Site) -> None:
    opened(page, site.address)
    for language in ("en", "zh"):
        page.evaluate(f"localStorage.setItem('leadline-language', '{language}')")
        page.reload()
        page.wait("document.querySelector('#run-list li')", "the list of past runs")
        page.click("document.getElementById('open-settings')")
        page.wait("document.querySelectorAll('#settings .help').length > 20", "the settings")
        helps = json.loads(
            page.evaluate("JSON.stringify([...document.querySelectorAll('#settings .help')].map(e => e.textContent))")
        )
        assert [one for one in helps if OF_A_COMMAND_LINE.search(one)] == []
    page.evaluate("localStorage.setItem('leadline-language', 'en')")


def test_a_model_and_a_search_that_are_not_reached_are_told_on_the_page(browser: Page, tmp_path: Path) -> None:
    dead = "http://127.0.0.1:9"
    with serving(
        tmp_path, LEADLINE_SEARCH="tavily", TAVILY_API_KEY="tvly-x", TAVILY_BASE_URL=dead, LEADLINE_MAX_RETRIES="0"
    ) as site:
        tab = browser.another()
        opened(tab, site.address)
        ask(tab, QUESTION)
        status(tab, "done")
        said = report_text(tab) + text(tab, ".plan") + text(tab, ".notices") + text(tab, "main")
        assert "Tavily was not reached" in said
        assert not OF_A_COMMAND_LINE.search(said), said
        browser.close(tab)
        assert "TAVILY_BASE_URL" in (tmp_path / "log").read_text()


def test_a_question_refused_before_its_run_began_is_still_there_and_asked_again_with_other_settings(
    page: Page, site: Site
) -> None:
    opened(page, site.address)
    ask(page, "Who owned the schooner Lalla Rookh?")
    first = report_text(page)
    choose(page, max_plan_iterations=1, max_step_num=99)
    ask(page, "Where was William Thomson born?")
    status(page, "failed")
    assert "“Steps per plan” cannot be 99" in told(page)
    page.reload()
    status(page, "failed")
    assert "“Steps per plan” cannot be 99" in told(page)
    assert page.evaluate("[...document.querySelectorAll('.asked')].map(e => e.textContent)") == [
        "Who owned the schooner Lalla Rookh?",
        "Where was William Thomson born?",
    ]
    choose(page, max_plan_iterations=1)
    page.click(button("Try again"))
    status(page, "done")
    second = report_text(page)
    assert "Belfast" in second
    assert second != first
    page.logged[:] = [one for one in page.logged if "Failed to load resource" not in one]  # the browser's own words


IN_CHINESE: dict[str, tuple[dict[str, Any], str]] = {
    "a number out of bounds": ({"max_step_num": 99}, "“计划的步骤数”不能是 99：应在 1 至 20 之间"),
    "a limit that is too low": ({"max_tokens": 10}, "“词元”不能是 10：应在 500 至 1,000,000,000,000 之间"),
    "a profile of another form": ({"profile": {"name": 3}}, "“领域配置”.name不能是 3：应为文字"),
    "a prompt that is none": ({"prompts": {"planner": "{{ nothing }}"}}, "prompts.planner用到了“nothing”"),
    "a folder that is not open": ({"documents": ["/etc"]}, "未开放文件夹 /etc"),
    "a program as tool server": ({"mcp_servers": {"mine": {"command": "sh"}}}, "不得启动“sh”"),
    "a private tool server": ({"mcp_servers": {"mine": {"url": "http://127.0.0.1:9/mcp"}}}, "mine 的地址被拒绝"),
}


def test_a_refusal_is_told_in_chinese_on_the_chinese_page(page: Page, site: Site) -> None:
    opened(page, site.address)
    page.evaluate("localStorage.setItem('leadline-language', 'zh')")
    page.reload()
    page.wait("document.querySelector('#run-list li') && document.documentElement.lang === 'zh-CN'", "the Chinese page")
    for what, (choices, expected) in IN_CHINESE.items():
        begin_anew(page)
        choose(page, max_plan_iterations=1, **choices)
        ask(page, "测深锤里为什么要压牛油？")
        said = told(page)
        assert expected in said, what
        assert not re.search(r"[a-z]+ [a-z]+ [a-z]+", said), said
    page.evaluate("localStorage.setItem('leadline-language', 'en')")
    page.logged[:] = [one for one in page.logged if "Failed to load resource" not in one]  # the browser's own words
