"""Messages to people: each is there in both languages, those of reports in all, with the same values, and in the words of a page where it needs them."""

import re
import string
import tomllib
from typing import Any

import pytest

from leadline.server.page import WORDS
from services.reports.labels import ENGLISH
from services.run.message_forms import on_a_page
from services.run.ui_text import LABELS, MESSAGES, OF_TERMINALS, say
from tests.conftest import PROJECT

OF_A_COMMAND_LINE = re.compile(r"--[a-z]|\bleadline [a-z]|\b(?:LEADLINE|OPENAI|TAVILY)_[A-Z]|\(max_[a-z_]+\)|\(verify:")
"""Options, commands and settings: whoever is on a page can give none of them."""


FURTHER = LABELS.keys() - {"en", "zh"}
"""Languages that only reports have."""


def fields(message: str) -> set[tuple[str, str]]:
    """Return the names of a message's values with their forms, without those that agree with a noun."""
    parts = string.Formatter().parse(message)
    return {(name, "" if "|" in (form or "") else form or "") for _, name, form, _ in parts if name}


def test_a_message_is_in_both_languages_with_the_same_values() -> None:
    forms = [{"en", "zh"}, {"en", "zh", "page_en", "page_zh"}]
    assert all(set(message) - FURTHER in forms for message in MESSAGES.values())
    differing = {key for key, message in MESSAGES.items() if fields(message["en"]) != fields(message["zh"])}
    assert not differing


def test_one_slow_file_takes_long_and_two_take_long() -> None:
    one, two = (say("reading_files_slow", "en", done=3, total=9, slow=slow) for slow in (1, 2))
    assert one.endswith("; 1 of them takes long")
    assert two.endswith("; 2 of them take long")


def texts(labels: dict[str, Any], at: str = "") -> dict[str, str]:
    parts = [
        texts(text, f"{at}{key}.") if isinstance(text, dict) else {f"{at}{key}": text} for key, text in labels.items()
    ]
    return {key: text for part in parts for key, text in part.items()}


@pytest.mark.parametrize("language", LABELS)
def test_a_language_has_the_texts_of_reports_with_the_values_of_english(language: str) -> None:
    english, own = texts(LABELS["en"]), texts(LABELS[language])
    assert {key: fields(text) for key, text in own.items()} == {key: fields(text) for key, text in english.items()}
    assert {key for key, text in own.items() if not text} == {key for key, text in english.items() if not text}
    for message in MESSAGES.values():
        assert not FURTHER & message.keys() or fields(message[language]) == fields(message["en"])


def test_a_label_that_is_used_is_there() -> None:
    files = [path for suffix in ("py", "j2") for path in (PROJECT / "services/reports").rglob(f"*.{suffix}")]
    used = {name for path in files for name in re.findall(r"\blabels\.([a-z]\w*)", path.read_text("utf-8"))}
    assert not [name for name in used - {"format"} if not hasattr(ENGLISH, name)]


@pytest.mark.parametrize("key", [key for key, message in MESSAGES.items() if "page_en" in message])
def test_the_words_of_a_page_need_no_other_values_and_name_what_the_page_has(key: str) -> None:
    message = MESSAGES[key]
    assert fields(message["page_en"]) == fields(message["page_zh"]) <= fields(message["en"])
    for language in ("en", "zh"):
        words = {text.get(language) for text in tomllib.loads(WORDS.read_text("utf-8"))["words"].values()}
        assert words.issuperset(re.findall("“([^”]+)”", message[f"page_{language}"]))


def test_nothing_that_a_page_is_told_is_an_option_a_command_or_a_setting() -> None:
    on_pages = {key: message for key, message in MESSAGES.items() if key not in OF_TERMINALS}
    told = {key: message.get("page_en", message["en"]) for key, message in on_pages.items()}
    assert not [key for key, words in told.items() if OF_A_COMMAND_LINE.search(words)]
    told = {key: message.get("page_zh", message["zh"]) for key, message in on_pages.items()}
    assert not [key for key, words in told.items() if OF_A_COMMAND_LINE.search(words)]


def test_a_server_says_it_in_the_words_of_a_page() -> None:
    assert "max_plan_iterations" in say("plan_limit", "en-US", limit=2)
    with on_a_page():
        assert say("plan_limit", "en-US", limit=2) == (
            "The limit of plans was reached (“Maximum plans” in the settings: 2)."
        )
        assert "设置" in say("plan_limit", "zh-CN", limit=2)
