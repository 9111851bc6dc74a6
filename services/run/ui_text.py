"""The program's texts for people, in English and Chinese, and those of reports in ten further languages: messages and labels."""

import json
import os
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from schemas.clean_text import clean_text
from schemas.events import CallProgress, ReadingProgress, Searched
from schemas.scoped import scoped
from services.run.message_forms import is_served
from services.run.private_paths import serving, without_private

LONGEST_PROBLEM = 150
_CATALOGUE: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_OF_TERMINALS: dict[str, Any] = {
    key: message
    for name in ("terminal_text.toml", "error_text.toml")
    for key, message in tomllib.loads(Path(__file__).with_name(name).read_text("utf-8")).items()
}
OF_TERMINALS = frozenset(key for key, message in _OF_TERMINALS.items() if "page_en" not in message)
"""Keys of the messages of commands that a page does not have, and of errors that it shows without their advice to operators."""
_FURTHER: dict[str, dict[str, Any]] = {
    file.stem: json.loads(file.read_text("utf-8"))
    for file in sorted(Path(__file__).with_name("report_texts").glob("*.json"))
}
"""Texts of reports by language: `label` as in the catalogue, and messages that stand in reports."""


def _in_language(texts: Mapping[str, Any], language: str) -> dict[str, Any]:
    return {
        key: text[language] if isinstance(text.get(language), str) else _in_language(text, language)
        for key, text in texts.items()
    }


_LABEL = _CATALOGUE.pop("label")
LABELS: dict[str, dict[str, Any]] = {
    **{language: _in_language(_LABEL, language) for language in ("en", "zh")},
    **{language: texts.pop("label") for language, texts in _FURTHER.items()},
}
"""The fixed words of reports by language and name; some are tables by a status, a kind or a verdict."""
MESSAGES: dict[str, dict[str, str]] = {
    key: message | {language: texts[key] for language, texts in _FURTHER.items() if key in texts}
    for key, message in (_CATALOGUE | _OF_TERMINALS).items()
}
"""Messages by key, each in English (`en`) and Chinese (`zh`), those of reports in all languages, with the names of values in braces.

Where words of the command line would be of no use on a page, `page_en` and `page_zh` say the same there."""

_spoken: ContextVar[str] = ContextVar("spoken", default="")


def is_chinese(locale: str) -> bool:
    """Tell whether a locale is a Chinese one."""
    return locale.lower().startswith(("zh", "yue"))


def speaking(locale: str) -> AbstractContextManager[str]:
    """Say what names no locale in that of the report, run or question that the block is about: Chinese for Chinese ones, else English."""
    return scoped(_spoken, "zh" if is_chinese(locale) else "en")


def spoken_locale() -> str:
    """Return the locale of what names none: that of `speaking`, else that of the user's terminal; English on a server, whose page translates it."""
    terminal = (value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name)))
    return "en" if is_served() or serving() else _spoken.get() or ("zh" if is_chinese(next(terminal, "")) else "en")


def report_language(locale: str) -> str:
    """Return the language of a report's fixed texts: that of its locale, English where the catalogue lacks it."""
    language = "zh" if is_chinese(locale) else locale.lower().replace("_", "-").partition("-")[0]
    return language if language in LABELS else "en"


def task_title(role: str, step_id: str, locale: str) -> str:
    """Return the purpose of a model call for people: its step, else the work of its role."""
    if step_id:
        return say("task_step", locale, step=step_id)
    return say(f"task_{role}", locale) if f"task_{role}" in MESSAGES else role


def reason_text(reason: str, locale: str) -> str:
    """Return in words why a model call was repeated.

    The reason is a code such as `cut_off`, with optional detail after a colon: `busy: HTTP 429`.
    """
    code, _, detail = " ".join(reason.split()).partition(": ")
    if f"again_{code}" not in MESSAGES:
        return reason
    words = say(f"again_{code}", locale)
    return say("again_detail", locale, reason=words, detail=detail) if detail else words


def call_state(progress: CallProgress, locale: str) -> str:
    """Return the progress of a model call, with its seconds and the reason of a repetition."""
    reason, seconds = reason_text(progress.reason[:LONGEST_PROBLEM], locale), int(progress.seconds)
    if progress.state == "again":
        return say("call_again_soon" if seconds else "call_again", locale, seconds=seconds, reason=reason)
    state = say(f"call_{progress.state}", locale, seconds=seconds)
    return say("call_repeated", locale, state=state, reason=reason) if reason else state


def reading_text(progress: ReadingProgress, locale: str) -> str:
    """Return how far documents are read, in words."""
    key = f"reading_{progress.of}" if progress.total else "reading_begins"
    return say(f"{key}_slow" if progress.slow else key, locale, **progress.model_dump(exclude={"of"}))


def searched_text(searched: Iterable[Searched], locale: str) -> str:
    """Return the results of searches in words: `brave: failed (Brave Search was not reached), duckduckgo 10`; or nothing."""
    return say("searched_between", locale).join(_brought(search, locale) for search in searched)


def _brought(search: Searched, locale: str) -> str:
    text = say(
        "searched_failed" if search.failed else "searched_hits",
        locale,
        name=search_title(search.name, locale),
        hits=search.hits,
    )
    if not search.reason:
        return text
    return say("searched_why" if search.failed else "searched_partly", locale, searched=text, reason=search.reason)


def search_title(name: str, locale: str) -> str:
    """Return the display name of a search; services have one name in all languages."""
    return say(f"searched_{name}", locale) if name in {"documents", "memory"} else name


def in_brackets(searched: Iterable[Searched], locale: str) -> str:
    """Return the same text in brackets, for the end of a title."""
    text = searched_text(searched, locale)
    return say("searched_end", locale, searched=text) if text else ""


def named(key: str, name: str, locale: str = "") -> str:
    """Return a name in words, by a message that lists names with theirs: `model 模型|by_meaning 语义检索`; a name that it lacks stays."""
    pairs = (pair.partition(" ") for pair in say(key, locale).split("|"))
    return {first: words for first, _, words in pairs}.get(name.replace(" ", "_"), name)


def unsearched(reason: str, locale: str = "en") -> str:
    """Return in words why a file is not searched, such as `file_types.EMPTY`: the predicate of a sentence whose subject is the file."""
    code, _, value = reason.partition(":")
    return say(f"unsearched_{code}", locale, value=value)


def say(key: str, /, locale: str = "", **values: object) -> str:
    """Return a message in the locale's language (`spoken_locale` if none is known), English where there is none in it; on a server, its version for the page."""
    message, language = MESSAGES[key], _language(key, locale)
    words = message.get(f"page_{language}") if is_served() else None
    return without_private(clean_text(_filled(words or message[language], values)))


def told(key: str, /, **values: object) -> dict[str, str]:
    """Return the arguments of an error: the message that `say` returns, and its version for the page where there is one. The error cleans both."""
    message, language = MESSAGES[key], _language(key)
    page = message.get(f"page_{language}", "")
    return {"message": _filled(message[language], values), "page": _filled(page, values)}


def _language(key: str, locale: str = "") -> str:
    language = report_language(locale or spoken_locale())
    return language if language in MESSAGES[key] else "en"


def _filled(words: str, values: Mapping[str, object]) -> str:
    return words.format(**{name: _Number(value) if type(value) is int else value for name, value in values.items()})


class _Number(int):
    """A number that its noun agrees with: `{count:quote|quotes}` gives "1 quote" or "2 quotes"."""

    def __format__(self, form: str) -> str:
        singular, bar, plural = form.partition("|")
        return f"{int(self):,} {singular if self == 1 else plural}" if bar else format(int(self), form)
