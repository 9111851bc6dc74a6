"""Turns what a source says in Markdown into what a report quotes: a sentence, or a line; and addresses in it."""

import re

from services.text.code_blocks import code_blocks, is_fence
from services.text.spans import Span
from services.text.tables import cells_of
from services.text.tokens import has_cjk

GAP = " … "
"""Stands for sentences that are quoted elsewhere, where others around them are shown."""
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,1000}\]\([^()\s]{0,500}(?:\s\"[^\"\n]{0,200}\")?\)")
_LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\([^()\s]{1,500}(?:\s\"[^\"\n]{0,200}\")?\)")
_CODE_OR_BOLD = re.compile(
    r"(?<!`)`([^`\n]{1,500})`(?!`)|(?<![A-Za-z0-9])\*\*(?!\s)((?:[^*\n]|\*(?!\*)){1,300})(?<!\s)\*\*"
)
"""Code, in which marks are its own, or bold text. `__name__` is a name more often than bold."""
_LONE_EMPHASIS = re.compile(r"^\*\*(?!\*)|(?<=[^\s*])\*\*(?![\w*])", re.MULTILINE)
"""A mark of bold text whose other end was not quoted: `**kwargs` within a line is none."""
_ITALIC = re.compile(r"(?<![\w*\\])\*(?![\s*])([^*\n]{1,300})(?<![\s*\\])\*(?![\w*])")
_LINE_MARKS = re.compile(r"^(?:#{1,6}|[-*+>])\s+")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\(?\w{1,2}[.)、])\s+")
_LISTED = re.compile(r"(?:[-*+•]|\(?\d{1,2}[.)、])\s")
_RULE = re.compile(r"[|\s:+=_*~-]+")


def linked_words(text: str) -> str:
    """Return Markdown with the words of its links in their places, and without images."""
    return _LINK.sub(r"\1", _IMAGE.sub("", text))


def without_markup(text: str) -> str:
    """Return Markdown as it reads: links as their words, no images, no marks of bold text or code."""
    text = linked_words(text)
    return _CODE_OR_BOLD.sub(lambda match: match[1] or match[2], text).replace("`", "").replace("\\#", "#")


def as_prose(text: str) -> str:
    """Return what is quoted as a sentence of a report: items of a list in a line, a row with the names of its columns."""
    text = without_markup(text)
    rows = [line.strip() for line in text.splitlines() if line.strip()]
    if len(rows) > 1 and all("|" in line for line in rows):
        cells = [cells_of(line) for line in (rows[0], rows[-1])]
        headed = any(map(_RULE.fullmatch, rows[1:2])) or not any(map(str.isdigit, rows[0]))
        if headed and len(cells[0]) == len(cells[1]) > 1:
            named = [f"{name} {cell}" for name, cell in zip(cells[0][1:], cells[1][1:], strict=True) if cell]
            return f"{cells[1][0]}{'：' if has_cjk(text) else ': '}{('，' if has_cjk(text) else ', ').join(named)}"
    if "|" in text and all(line.startswith("|") for line in rows):
        return re.sub(r"(?>(?:(?<!\s)\s++)?)\|\s*+", " · ", rows[-1].strip("| \n"))
    items = [place for place, line in enumerate(rows) if _ITEM.match(line)]
    if len(items) > 1 and not _ITEM.match(rows[0]):
        before = " ".join(rows[: items[0]])
        listed = [" ".join(rows[a:b]) for a, b in zip(items, [*items[1:], len(rows)], strict=True)]
        parts = [_ITEM.sub("", item).rstrip(" ;；,，.。") for item in listed]
        return f"{before} {'；'.join(parts) if has_cjk(text) else '; '.join(parts)}"
    bare = re.sub(r"^\s*(?:[-*+>#•]+|\(?\w{1,2}[.)、])\s+", "", text)
    return " ".join(bare.split()).rstrip(" ;；,，:：")


def as_read(text: str) -> str:
    """Return a quote as it reads: prose on one line, as `as_line` has it, each row of a table and item of a list on its own, and code with its lines and signs, without its fences."""
    parts: list[str] = []
    place = 0
    for code in [*code_blocks(text), Span(len(text), len(text))]:
        parts.append(_prose(text[place : code.start]))
        lines = text[code.start : code.end].splitlines()
        parts.append("\n".join(lines[1 : -1 if is_fence(lines[-1]) else None]) if lines else "")
        place = code.end
    return "\n".join(filter(str.strip, parts))


def as_line(text: str) -> str:
    """Return a quote on one line as it reads: without marks of headings, lists and emphasis, cells of tables with dots between."""
    return " ".join(as_read(text).split())


def _prose(text: str) -> str:
    lines, ends, listed = [""], False, False
    for line in map(str.strip, text.splitlines()):
        if not line or _RULE.fullmatch(line):
            ends = ends or listed
            continue
        is_row = line.startswith("|") and line.count("|") > 1
        begins = ends or is_row or _LISTED.match(line) is not None
        words = " · ".join(filter(None, cells_of(line))) if is_row else _LINE_MARKS.sub("", line)
        lines[-1:] = [lines[-1], words] if begins else [f"{lines[-1]} {words}"]
        listed = is_row or _LISTED.match(line) is not None or (listed and not ends)
        ends = is_row
    bare = _ITALIC.sub(r"\1", _LONE_EMPHASIS.sub("", without_markup("\n".join(lines))))
    return "\n".join(filter(None, (" ".join(line.split()) for line in bare.split("\n")))) or " ".join(text.split())


_END = r"[^\s<>\"'）)\]】，。；、|`]"
URL = re.compile(
    rf"\b(?:(?:https?|ftps?|file|data|javascript|vbscript|mailto):/{{0,2}}|www\.){_END}+|"
    rf"(?<![\w.-])(?:[\w-]{{1,63}}\.){{1,6}}(?:com|org|net|gov|edu|cn|io|info)/{_END}*",
    re.IGNORECASE,
)
