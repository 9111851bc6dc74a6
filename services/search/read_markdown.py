"""Reads Markdown as its readers see it: with the addresses of links, and without the marks of what only tools need."""

import re

from markdown_it import MarkdownIt

from services.text.code_blocks import code_blocks, is_fence, with_fences_apart
from services.text.normal_form import unescape

_REFERENCE = re.compile(
    r"(?m)^ {0,3}+\[(?!\^)([^\[\]\n]{1,200}+)\]:[ \t]*+\n?[ \t]*+(\S{1,500}+)(?:[ \t]++[\"'(][^\n]{0,200}+)?[ \t]*+$\n?"
)
"""The line of Markdown that gives a link its address."""
_FENCE_OR_COMMENT = re.compile(r"(?m)^(?P<fence>`{3,}+|~{3,}+)|<!--")
_TAG = r"</?[A-Za-z][\w.-]{0,60}+(?:\s[^<>\n]{0,500}+)?/?>|\{\{[<%][^{}\n]{0,300}+\}\}|\{%[^{}\n]{0,300}+%\}"
_UNSEEN = re.compile(
    rf"(?m)^[ \t]*+(?:[-*+] \[[^\[\]\n]{{1,300}}+\]\(#[^()\s]{{0,300}}+\)|(?>(?:(?:{_TAG})[ \t]*+)+))[ \t]*+$\n?"
)
"""A line that only leads to a heading below it, or is only tags of HTML or of a template, such as Hugo's or Jekyll's."""
_HEADING_ID = re.compile(r"(?m)^(#{1,6}[ \t][^\n]{1,300}?)[ \t]*+\{[#.][^{}\n]{1,200}+\}[ \t]*+$")
"""A heading with an id or a class of its own: `## Watchers {#watchers}`."""
_CONTAINER = re.compile(
    r"(?m)^[ \t]*+(?::{3,}+[ \t]*+(?:[\w-]{1,40}+[ \t]*+)?(?:\{[^{}\n]{0,200}+\})?|\[![A-Za-z]{1,20}+\][+-]?)[ \t]*+([^\n]{0,200}+)$"
)
"""A line that begins or ends a note that is set off, with its title: `:::tip Careful`, `:::`, `[!NOTE]`."""
_QUOTED = re.compile(r"(?m)^(?>(?: {0,3}>)+) ?")
"""Marks of a block that is set off, often a note; they stand within its sentences, where lines end."""
_REFERRING = re.compile(
    r"(?P<code>`[^`\n]{1,300}+`)|(?P<tag></?(?i:a|b|br|div|em|font|i|img|kbd|mark|p|small|span|strong|u)(?:\s[^<>\n]{0,500}+)?/?>)|(?P<note>\[\^[^\[\]\s]{1,100}+\](?!:))"
    r"|(?P<character>&(?:#\d{1,7}+|#[xX][\da-fA-F]{1,6}+|[A-Za-z][A-Za-z\d]{1,31}+);)"
    r"|(?<![\]\\!])\[(?P<words>[^\[\]\n]{1,300}+)\](?:\[(?P<label>[^\[\]\n]{0,200}+)\])?(?![(:\[])"
)
_BLOCKS = MarkdownIt("commonmark").enable("table")
_BLOCKS.core.ruler.disable(["inline", "text_join"])
_TICKS = re.compile("`{3,}+")
_LINE_END = re.compile(r"\r\n?|\n")


def as_read(text: str) -> str:
    """Return Markdown as its readers see it.

    Links get their addresses, rows of tables bars at both ends, and code fences; character references become characters. Comments, tables
    of contents, lines of tags, ids of headings, and marks of footnotes and set-off blocks are removed.
    """
    parts = _prose_and_code(_with_fences_and_bars(with_fences_apart(text)))
    parts[::2] = [_UNSEEN.sub("", _without_marks(part)) for part in parts[::2]]
    targets = {match[1].casefold(): match[2].strip("<>") for part in parts[::2] for match in _REFERENCE.finditer(part)}

    def link(match: re.Match[str]) -> str:
        if match["code"] or match["note"] or match["tag"]:
            return match["code"] or (" " if _breaks(match) else "")
        if match["character"]:
            character = unescape(match["character"])
            return " " if character.isspace() else character.replace("|", "\\|")
        address = targets.get((match["label"] or match["words"]).casefold())
        if not address:
            return match[0]
        return match["words"] if address.startswith("#") else f"[{match['words']}]({address})"

    parts[::2] = [
        _REFERRING.sub(link, _REFERENCE.sub("", part)) if re.search(r"[\[<&]", part) else part for part in parts[::2]
    ]
    return "".join(parts)


def _breaks(tag: re.Match[str]) -> bool:
    start, end = tag.span()
    between_words = tag.string[start - 1 : start].strip() and tag.string[end : end + 1].strip()
    return tag[0][1:3].lower() == "br" and bool(between_words)


def _without_marks(text: str) -> str:
    """Return prose without ids of headings and without marks of blocks that are set off, whose titles stay as paragraphs."""
    text = _HEADING_ID.sub(r"\1", _QUOTED.sub("", text))
    return _CONTAINER.sub(lambda match: f"\n**{match[1].strip()}**\n" if match[1].strip() else "", text)


def _with_fences_and_bars(text: str) -> str:
    """Return Markdown with fences around the code that is only indented, and with bars around the rows of tables that have none."""
    lines = _LINE_END.split(text)
    rewritten: list[str] = []
    place = 0
    for token in _BLOCKS.parse(text):
        start, end = token.map or (0, 0)
        if token.type == "code_block":
            rewritten += [*lines[place:start], *in_fence(token.content.rstrip())]
            rewritten += [""] if "".join(lines[end : end + 1]).strip() else []
        elif token.type == "table_open":
            apart = [""] if start and lines[start - 1].strip() else []
            rewritten += [*lines[place:start], *apart, *map(_row, lines[start:end])]
        else:
            continue
        place = end
    return "\n".join([*rewritten, *lines[place:]])


def _row(line: str) -> str:
    row = _QUOTED.sub("", line).strip()
    row = row if row.startswith("|") else f"| {row}"
    return row if row.endswith("|") and not row.endswith("\\|") else f"{row} |"


def _prose_and_code(text: str) -> list[str]:
    """Return prose without comments, and fenced code, alternately."""
    parts = [""]
    place = 0
    while match := _FENCE_OR_COMMENT.search(text, place):
        is_code = match["fence"] is not None
        end = text.find(f"\n{match['fence']}" if is_code else "-->", match.end())
        if end < 0:
            break
        parts[-1] += text[place : match.start()]
        place = end + len(match["fence"]) + 1 if is_code else end + len("-->")
        parts += [text[match.start() : place], ""] if is_code else []
    parts[-1] += text[place:]
    return parts


def in_fence(code: str, language: str = "") -> list[str]:
    """Return code below and above a fence of Markdown that is longer than any in it."""
    fence = max(["```", *(f"{ticks}`" for ticks in _TICKS.findall(code))], key=len)
    return [f"{fence}{language}", code, fence]


def without_fence(text: str) -> str:
    """Return a text that is nothing but code, or its beginning, without the fence; any other as it is."""
    block = next(code_blocks(text), None) if is_fence(text) else None
    if block is None or (block.start, block.end) != (0, len(text)):
        return text
    lines = text.split("\n")
    return "\n".join(lines[1 : -1 if is_fence(lines[-1]) else None])
