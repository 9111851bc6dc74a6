"""Rewrites MediaWiki's markup, of which wikis and some standards are made, as Markdown, by its help pages on formatting, links and tables."""

import re
from collections.abc import Iterator
from textwrap import dedent

from services.search.files.shown_html import places_of
from services.text.code_blocks import in_fence
from services.text.tables import pipe_table

_APART = re.compile(r"(?i)<!--|<(pre|source|syntaxhighlight)(?:\s[^<>\n]{0,200})?>")
"""Where a comment begins, or code."""
_CLOSES = {"": re.compile("-->")} | {
    name: re.compile(rf"(?i)</{name}>") for name in ("pre", "source", "syntaxhighlight")
}
_HEADING = re.compile(r"(={1,6})[ \t]*+(\S[^\n]{0,300}?)[ \t]{0,9}\1[ \t]*+")
_ITEM = re.compile(r"([*#:]{1,9})[ \t]*(\S[^\n]*)")
_FIELD = re.compile(r"\s*[A-Z][\w -]{0,40}:[ \t]*\S")
_NOTE = re.compile(
    r"(?i)[ \t]{0,9}<ref(?:\s[^<>/\n]{0,200})?>((?>(?:[^<]|<(?!/?ref\b)){1,3000}))</ref>|[ \t]{0,9}<ref(?:\s[^<>\n]{0,200})?/>"
)
_LITERAL = re.compile(r"(?i)<(?:code|tt|kbd)>([^`\n]{1,300}?)</(?:code|tt|kbd)>")
_BREAK = re.compile(r"(?i)[ \t]{0,9}<br[ \t]{0,9}/?>[ \t]{0,9}")
_TAG = re.compile(
    r"(?i)</?(?:a|b|big|blockquote|center|div|em|font|i|nowiki|p|references|s|small|span|strong|sub|sup|u)(?:\s[^<>\n]{0,300})?/?>"
)
_LINK = re.compile(r"\[\[(?:[^\[\]|\n]{1,300}\|)?([^\[\]|\n]{1,300})\]\]")
_ADDRESS = re.compile(r"(?<!\[)\[((?:https?|ftp|mailto):[^\s\[\]]{1,500}+)[ \t]{1,9}+([^\[\]\n]{1,300}+)\]")
_BOLD, _ITALIC = re.compile(r"'''(?=\S)([^\n]{1,500}?)'''"), re.compile(r"''(?=\S)([^\n]{1,500}?)''")
_STYLE = re.compile(r"\A[^|\n\[]{0,200}=[^|\n\[]{0,200}\|(?!\|)")
"""Attributes before the content of a cell."""
_SPAN = re.compile(r"(?i)\b(row|col)span[ \t]{0,9}=[ \t]{0,9}[\"']?(\d{1,5})")


def as_markdown(text: str) -> str:
    """Return a text of MediaWiki with the headings, lists, links, tables and fenced code of Markdown; notes stand in brackets where they are made."""
    parts: list[str] = []
    place, begun = 0, False
    while apart := _APART.search(text, place):
        close = _CLOSES[(apart[1] or "").lower()].search(text, apart.end())
        if close is None:
            break
        begun = begun or bool(text[place : apart.start()].strip())
        parts.append(_prose(text[place : apart.start()]))
        parts += [_code(text[apart.end() : close.start()], first=not begun)] if apart[1] else []
        begun = begun or bool(apart[1])
        place = close.end()
    return "".join([*parts, _prose(text[place:])])


def _code(content: str, *, first: bool) -> str:
    """Return code in a fence; the fields of a document, which it begins with, are lines of their own."""
    lines = dedent(content.strip("\n").rstrip()).split("\n")
    if first and _FIELD.match(lines[0]):
        return "\n".join(lines)
    return "\n".join(in_fence("\n".join(lines)))


def _prose(text: str) -> str:
    return "\n".join(_blocks(_inline(text).split("\n")))


def _inline(text: str) -> str:
    text = _NOTE.sub(lambda note: f" ({note[1].strip()})" if note[1] else "", text)
    text = _LINK.sub(r"\1", _ADDRESS.sub(r"[\2](\1)", _LITERAL.sub(r"`\1`", text)))
    return _TAG.sub("", _BREAK.sub(" ", _ITALIC.sub(r"*\1*", _BOLD.sub(r"**\1**", text))))


def _blocks(lines: list[str]) -> Iterator[str]:
    place = 0
    while place < len(lines):
        line = lines[place]
        if line.lstrip().startswith("{|"):
            end = next((at for at in range(place, len(lines)) if lines[at].strip().startswith("|}")), len(lines))
            yield from ["", *pipe_table(_rows(lines[place + 1 : end])), ""]
            place = end + 1
            continue
        place += 1
        if heading := _HEADING.fullmatch(line.rstrip()):
            yield from ["", f"{'#' * len(heading[1])} {heading[2]}", ""]
        elif item := _ITEM.fullmatch(line):
            yield "  " * (len(item[1]) - 1) + {"*": "- ", "#": "1. ", ":": ""}[item[1][-1]] + item[2]
        else:
            yield line


def _rows(lines: list[str]) -> list[list[str]]:
    """Return the cells of a table, row by row, with a merged one in each row that it takes; what belongs to no cell, such as its caption, is left out."""
    rows: list[list[list[str]]] = [[]]
    spans: list[list[tuple[int, int]]] = [[]]
    for line in map(str.strip, lines):
        if line.startswith("|-"):
            rows.append([])
            spans.append([])
        elif line.startswith("|+"):
            continue
        elif line.startswith(("|", "!")):
            for cell in (line.replace("!!", "||") if line[0] == "!" else line)[1:].split("||"):
                style = _STYLE.match(cell)
                taken = {name.lower(): int(number) for name, number in _SPAN.findall(style[0] if style else "")}
                rows[-1].append([cell[style.end() if style else 0 :].strip()])
                spans[-1].append((taken.get("row", 1), taken.get("col", 1)))
        elif rows[-1]:
            rows[-1][-1].append(line)
    texts = [[" ".join(filter(None, cell)) for cell in row] for row in rows if row]
    return [
        [texts[place[0]][place[1]] if place and (place[2] or number == 0) else "" for place in line]
        for number, line in enumerate(places_of(list(filter(None, spans))))
    ]
