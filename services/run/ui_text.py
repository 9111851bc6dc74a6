"""Messages of the program to a person, in English and Chinese. Reports have labels of their own."""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

from schemas.clean_text import clean_text
from schemas.events import CallProgress, Searched
from services.run.errors import UselessAnswer
from services.run.page_messages import is_served
from services.run.private_paths import without_paths

LONGEST_PROBLEM = 150
_HAN = re.compile("[\u4e00-\u9fff]")
MESSAGES: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
"""Messages by key, each in English (`en`) and Chinese (`zh`), with the names of values in braces.

Where words of the command line would be of no use on a page, `page_en` and `page_zh` say the same there."""


def is_chinese(locale: str) -> bool:
    """Tell whether a locale is a Chinese one."""
    return locale.lower().startswith(("zh", "yue"))


def task_title(role: str, step_id: str, locale: str) -> str:
    """Return what a model call is for, as people call it: the step that it is for, else what its role does."""
    if step_id:
        return say("task_step", locale, step=step_id)
    return say(f"task_{role}", locale) if f"task_{role}" in MESSAGES else role


def reason_text(reason: str, locale: str) -> str:
    """Return why a model was asked again, in words.

    Args:
        reason: a code such as `cut_off`, with its detail after a colon where it has one; or a fault such as `HTTP 429`.
        locale: the reader's.
    """
    code, _, detail = " ".join(reason.split()).partition(": ")
    if f"again_{code}" not in MESSAGES:
        return reason
    words = say(f"again_{code}", locale)
    return say("again_detail", locale, reason=words, detail=detail) if detail else words


def call_state(progress: CallProgress, locale: str) -> str:
    """Return how a model call stands, with its seconds and with why it was made again."""
    reason, seconds = reason_text(progress.reason[:LONGEST_PROBLEM], locale), int(progress.seconds)
    if progress.state == "again":
        return say("call_again_soon" if seconds else "call_again", locale, seconds=seconds, reason=reason)
    state = say(f"call_{progress.state}", locale, seconds=seconds)
    return say("call_repeated", locale, state=state, reason=reason) if reason else state


def searched_text(searched: Iterable[Searched], locale: str) -> str:
    """Return what each search brought, in words, such as `brave: failed (Brave Search was not reached), duckduckgo 10`; empty where none was made."""
    return say("searched_between", locale).join(_brought(search, locale) for search in searched)


def _brought(search: Searched, locale: str) -> str:
    text = say(
        "searched_failed" if search.failed else "searched_hits",
        locale,
        name=_search_title(search.name, locale),
        hits=search.hits,
    )
    if not search.reason:
        return text
    return say("searched_why" if search.failed else "searched_partly", locale, searched=text, reason=search.reason)


def _search_title(name: str, locale: str) -> str:
    """Return the name of a search; services have their own in every language."""
    return say(f"searched_{name}", locale) if name in {"documents", "memory"} else name


def in_brackets(searched: Iterable[Searched], locale: str) -> str:
    """Return the same as the end of a title."""
    text = searched_text(searched, locale)
    return say("searched_end", locale, searched=text) if text else ""


def problem_text(problem: Exception | str, locale: str, key: str = "trouble") -> str:
    """Return what went wrong as a reader is told: framed in the reader's language, where its own words are of another one.

    Args:
        problem: an error, or the words of one, which are English, or in the reader's language already.
        locale: the reader's.
        key: of the frame.
    """
    if isinstance(problem, UselessAnswer):
        return say("useless_answer", locale, problem=problem.problem[:LONGEST_PROBLEM], role=problem.role.upper())
    reason = str(problem)
    return reason if _HAN.search(reason) else say(key, locale, reason=reason)


def say(key: str, locale: str, **values: object) -> str:
    """Return a message in the locale's language, English for all but Chinese; with the words of a page where a server says it."""
    message, language = MESSAGES[key], "zh" if is_chinese(locale) else "en"
    words = message.get(f"page_{language}") if is_served() else None
    return without_paths(clean_text((words or message[language]).format(**values)))
