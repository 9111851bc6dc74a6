"""Takes a written answer out of what models wrap it in: a fence around it, and words to the user before and after."""

import re

_FENCE = re.compile(r"^(?:`{3,}|~{3,})[ \t]*(\w*)[^\n]*$", re.MULTILINE)
_TITLE = re.compile(r"^# \S", re.MULTILINE)
_RULE = re.compile(r"^(?:-{3,}|\*{3,}|_{3,})[ \t]*$", re.MULTILINE)
_CITED = re.compile(r"\[E\d|^#|^\||^[-*] |^[`~]{3}", re.MULTILINE)
"""What belongs to an answer: a citation, a heading, a table, a list, a block of code."""


def unwrapped(text: str) -> str:
    """Return an answer without a fence of Markdown around it, and without what is before its title or after its last rule.

    What is around it cites nothing, and has neither headings, lists nor tables; else it stays.
    """
    text = _out_of_fence(text)
    title = _TITLE.search(text)
    if title is not None and not _CITED.search(text[: title.start()]):
        text = text[title.start() :]
    *_, last = [None, *_RULE.finditer(text)]
    if last is not None and text[: last.start()].strip() and not _CITED.search(text[last.end() :]):
        text = text[: last.start()]
    return text.strip()


def _out_of_fence(text: str) -> str:
    fences = list(_FENCE.finditer(text))
    if not fences or fences[0][1].lower() not in {"", "markdown", "md"}:
        return text
    first, last = fences[0], fences[-1] if len(fences) % 2 == 0 else None
    end, after = (last.start(), text[last.end() :]) if last else (len(text), "")
    inside, around = text[first.end() : end], f"{text[: first.start()]}\n{after}"
    is_answer = bool(first[1]) or "[E" in inside
    return inside if not around.strip() or (is_answer and not _CITED.search(around)) else text
