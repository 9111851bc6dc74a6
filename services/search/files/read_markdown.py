"""Reads Markdown as its readers see it: with the addresses of links, and without the marks of what only tools need."""

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt

from services.search.files.cards import FRONT_MATTER
from services.text.code_blocks import FENCED, in_fence, is_fence, with_fences_apart
from services.text.normal_form import unescape

_REFERENCE = re.compile(
    r"(?m)^ {0,3}+\[(?!\^)([^\[\]\n]{1,200}+)\]:[ \t]*+\n?[ \t]*+(\S{1,500}+)(?:[ \t]++[\"'(][^\n]{0,200}+)?[ \t]*+$\n?"
)
"""The line of Markdown that gives a link its address."""
_CODE_OR_COMMENT = re.compile(
    r"(?m)^[ \t]*+(?P<fence>`{3}|~{3})|(?<!`)(?P<ticks>`{1,2}+)[^\n]{1,300}?(?<!`)(?P=ticks)(?!`)|<!--|\{/\*"
)
_COMMENT_ENDS = {"<!--": "-->", "{/*": "*/}"}
"""How comments end, in HTML and in MDX."""
_TAG = r"</?[A-Za-z][\w.-]{0,60}+(?:\s[^<>\n]{0,500}+)?/?>|\{\{[<%][^{}\n]{0,300}+\}\}|\{%[^{}\n]{0,300}+%\}"
_UNSEEN = re.compile(
    rf"(?m)^[ \t]*+(?:[-*+] \[[^\[\]\n]{{1,300}}+\]\(#[^()\s]{{0,300}}+\)|(?>(?:(?:{_TAG})[ \t]*+)+))[ \t]*+$\n?"
)
"""A line that only leads to a heading below it, or is only tags of HTML or of a template, such as Hugo's or Jekyll's."""
_TITLED = re.compile(
    r"(?:<[A-Z]|\{\{[<%])[^<>{}\n]{0,200}?[ \t](?:title|label|caption)=(?P<quote>[\"'])(?P<title>[^\"'<>{}\n]{1,200}+)(?P=quote)"
)
"""The title of a component or a template: `<TabItem value="py" label="Python">`, `{{% alert title="Note" %}}`."""
_SHORTCODE = re.compile(
    r"\{\{(?P<sign>[<%])[ \t]*+(?:/[\w-]{1,60}+|(?:rel)?ref[ \t]++(?P<mark>[\"']?)(?P<target>[^\s\"'<>{}]{1,300}+)(?P=mark))[ \t]*+[%>]\}\}"
)
"""What ends a part between Hugo's templates, or is a link's address."""
_IMPORT = re.compile(
    r"(?m)^import[ \t](?:[\w\s{},*$]{1,300}?\sfrom[ \t])?(?P<mark>[\"'])[^\"'\n]{1,300}+(?P=mark);?[ \t]*+$\n?"
)
"""What MDX takes from other files."""
_HEADING_ID = re.compile(r"(?m)^([ \t]*+#{1,6}[ \t][^\n]{1,300}?)[ \t]*+\{(?:-|[#.][^{}\n]{1,200}+)\}[ \t]*+$")
"""A heading with an id or a class of its own, or without a number: `## Watchers {#watchers}`, `## Thanks {-}`."""
_CONTAINER = re.compile(
    r"(?m)^[ \t]*+(?::{3,}+[ \t]*+(?:[\w-]{1,40}+[ \t]*+)?(?:\{[^{}\n]{0,200}+\})?|\[![A-Za-z]{1,20}+\][+-]?)[ \t]*+([^\n]{0,200}+)$"
)
"""A line that begins or ends a note that is set off, with its title: `:::tip Careful`, `:::`, `[!NOTE]`."""
_SET_IN = re.compile(
    r"(?:!{3}|\?{3}\+?|={3}[!+]?(?=[ \t]++\"))[ \t]*+(?>(?:[\w-]{1,40}+[ \t]*+){0,3})(?:\"([^\n]{0,300}?)\")?[ \t]*+"
)
"""A line that begins a note, a part that unfolds or a tab, whose text is indented below it (MkDocs): `!!! tip "Careful"`, `??? note`, `=== "Python"`."""
_INDENTED = 4
"""Blanks before its lines."""
_QUOTED = re.compile(r"(?m)^(?>(?: {0,3}>)+) ?")
"""Marks of a block that is set off, often a note; they stand within its sentences, where lines end."""
_REFERRING = re.compile(
    r"(?P<code>`[^`\n]{1,300}+`)|<(?i:a)\s[^<>\n]{0,300}?href=[\"'](?P<href>https?://[^\s\"'<>]{1,500}+)[\"'][^<>\n]{0,300}+>(?P<linked>[^<>\[\]\n]{1,300}+)</(?i:a)>"
    r"|<(?i:code)(?:\s[^<>\n]{0,100}+)?>(?P<coded>[^<>`\n]{1,300}+)</(?i:code)>|<(?i:sup)>(?P<raised>[-−]?\d{1,6}+)</(?i:sup)>"
    r"|(?P<tag></?(?i:a|abbr|b|br|center|code|del|div|em|font|i|img|ins|kbd|li|mark|ol|p|small|span|strong|sub|sup|td|th|tr|u|ul)(?:\s[^<>\n]{0,500}+)?/?>)|(?P<note>\[\^[^\[\]\s]{1,100}+\](?!:))"
    r"|\{(?P<role>[\w:+-]{1,40}+)\}`(?P<named>[^`<\n]{1,300}+)(?P<target><[^`<>\n]{1,300}+>)?`"
    r"|(?P<character>&(?:#\d{1,7}+|#[xX][\da-fA-F]{1,6}+|[A-Za-z][A-Za-z\d]{1,31}+);)"
    r"|(?<![\]\\!])\[(?P<words>[^\[\]\n]{1,300}+)\](?:\[(?P<label>[^\[\]\n]{0,200}+)\])?(?![(:\[])"
)
_APART = re.compile(r"(?i)</?(?:br|t[dh])\b")
"""Tags that words on both sides of them are not joined by."""
_BLOCKS = MarkdownIt("commonmark").enable("table")
_BLOCKS.core.ruler.disable(["inline", "text_join"])
NOTES = frozenset("attention caution danger error hint important note tip warning".split())
"""Directives of reStructuredText and MyST that set a note off."""
ROLES = {"sup": ("^", ""), "superscript": ("^", ""), "math": ("$", "$")}
"""What stands before and behind the words of their roles."""
_DIRECTIVE = re.compile(r"\{([\w-]{1,40}+)\}[ \t]*+(.*)")
"""Behind a fence, a directive of MyST with its argument."""
_CODE_DIRECTIVES = frozenset({"code", "code-block", "code-cell", "sourcecode"})
_OPTIONS = re.compile(r"(?>(?::[\w-]{1,40}+:[^\n]*+(?:\n|\Z))*)\n*+")
"""Lines of a directive that tell how it is set."""
_HTML = re.compile(r"[ \t]*+</?[a-z]")
"""What begins a block of HTML; a capital begins a component, such as `<TabItem>`."""
_ONLY_TAGS = re.compile(rf"(?>(?:\s*+(?:{_TAG}))+)\s*+")
MAX_HTML = 1_000_000
"""Characters of HTML of a file that are rewritten, which takes up to ten seconds."""
BLOCK_COST = 200
"""Characters whose time each block takes."""
_TABLE_TAG = re.compile(r"(?i)<(/?)table(?=[\s>])")
_LINE_END = re.compile(r"\r\n?|\n")


def as_read(text: str) -> str:
    """Return Markdown as its readers see it; its front matter stays as it is.

    Links get their addresses, rows of tables bars at both ends, code fences, and underlined headings `#`; character references become characters.
    Comments, tables of contents, lines of tags, ids of headings, and marks of footnotes and set-off blocks are removed.
    """
    front = FRONT_MATTER.match(text)
    begin = front.end() if front else 0
    return text[:begin] + _as_read(text[begin:])


def _as_read(text: str) -> str:
    parts = _prose_and_code(_with_fences_and_bars(with_fences_apart(_without_notes(text))))
    parts[::2] = [_UNSEEN.sub(_titled, _without_marks(part)) for part in parts[::2]]
    targets = {match[1].casefold(): match[2].strip("<>") for part in parts[::2] for match in _REFERENCE.finditer(part)}

    def link(match: re.Match[str]) -> str:
        if match["code"] or match["note"] or match["tag"]:
            return match["code"] or (" " if _breaks(match) else "")
        if match["href"]:
            return f"[{match['linked']}]({match['href']})"
        if match["role"]:
            before, behind = ROLES.get(match["role"], ("", "") if match["target"] else ("`", "`"))
            return f"{before}{match['named'].strip()}{behind}"
        if match["coded"] or match["raised"]:
            return f"`{unescape(match['coded'])}`" if match["coded"] else f"^{match['raised']}"
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


def _without_notes(text: str) -> str:
    """Return Markdown with what is set in below notes, folded parts and tabs as text of its own, below their titles."""
    if not re.search(r"(?m)^ *+(?:!!!|\?\?\?|===[!+]? *+\")", text):
        return text
    lines, shown = text.split("\n"), list[str]()
    below: list[int] = []
    """Indents of the texts around a line."""
    in_code = False
    following = 0
    for place, line in enumerate(lines):
        indent = len(line) - len(line.lstrip(" "))
        if line.strip():
            while below and indent < below[-1]:
                below.pop()
                in_code = False
        own = line[min(indent, _INDENTED * len(below)) :]
        following = max(following, place + 1)
        while following < len(lines) and not lines[following].strip():
            following += 1
        holds = following < len(lines) and lines[following].startswith(" " * (indent + _INDENTED))
        note = _SET_IN.fullmatch(own.lstrip(" ")) if holds and not in_code else None
        if note:
            below.append(indent + _INDENTED)
            shown += [*filter(None, [note[1]]), ""]
            continue
        in_code ^= is_fence(own)
        shown.append(own)
    return "\n".join(shown)


def _titled(line: re.Match[str]) -> str:
    """Return what readers see of a line of tags: the title of what begins there."""
    title = _TITLED.search(line[0])
    return f"\n**{title['title'].strip()}**\n\n" if title else ""


def _breaks(tag: re.Match[str]) -> bool:
    start, end = tag.span()
    between_words = tag.string[start - 1 : start].strip() and tag.string[end : end + 1].strip()
    return _APART.match(tag[0]) is not None and bool(between_words)


def _without_marks(text: str) -> str:
    """Return prose without imports, ids of headings and marks of blocks that are set off, whose titles stay as paragraphs."""
    text = _HEADING_ID.sub(r"\1", _QUOTED.sub("", _IMPORT.sub("", text)))
    text = _SHORTCODE.sub(lambda shortcode: shortcode["target"] or "", text)
    return _CONTAINER.sub(lambda match: f"\n**{match[1].strip()}**\n" if match[1].strip() else "", text)


def _with_fences_and_bars(text: str) -> str:
    """Return Markdown with fences around the code that is only indented, bars around the rows of tables that have none, `#` before underlined headings, and without HTML."""
    lines = _LINE_END.split(text)
    rewritten: list[str] = []
    tables: dict[int, int] | None = None
    place = depth = html = 0
    for token in _BLOCKS.parse(text):
        depth += token.nesting * (token.type in {"blockquote_open", "blockquote_close"})
        start, end = token.map or (0, 0)
        if end <= place:
            continue
        if token.type == "code_block":
            block = in_fence(token.content.rstrip())
            block += [""] if "".join(lines[end : end + 1]).strip() else []
        elif token.type == "fence" and (directive := _DIRECTIVE.fullmatch(token.info.strip())):
            block = _shown(directive[1], directive[2], token.content) or lines[start:end]
        elif token.type == "fence" and depth:  # marks of a quotation are none of its code
            block = in_fence(token.content.rstrip("\n"), token.info.strip())
        elif token.type == "html_block" and _HTML.match(token.content) and html < MAX_HTML:
            tables = _ends_of_tables(lines) if tables is None else tables
            end = max(end, *(tables.get(line, 0) for line in range(start, end)))
            block = _rewritten_html(lines[start:end])
            html += sum(map(len, lines[start:end])) + BLOCK_COST
        elif token.type == "heading_open" and not token.level and end - start == 1 + (token.markup in {"=", "-"}):
            block = [""] if start and lines[start - 1].strip() else []
            block += [f"{'#' * int(token.tag[1])} {lines[start].strip()}"] if end - start > 1 else lines[start:end]
        elif token.type == "table_open":
            block = [""] if start and lines[start - 1].strip() else []
            block += map(_row, lines[start:end])
        else:
            continue
        rewritten += [*lines[place:start], *block]
        place = end
    return "\n".join([*rewritten, *lines[place:]])


def _shown(name: str, argument: str, content: str) -> list[str]:
    """Return what readers see of a directive: code in a plain fence, a note as its title and its text; empty for any other."""
    text = _OPTIONS.sub("", content, count=1).rstrip("\n")
    if name in _CODE_DIRECTIVES:
        return in_fence(text, argument)
    if name in NOTES | {"admonition"}:
        return ["", *[f"**{argument}**", ""] * bool(argument), *text.split("\n"), ""]
    return []


def _ends_of_tables(lines: Sequence[str]) -> dict[int, int]:
    """Return behind which line each table of HTML ends, by that where it begins; a table may hold blank lines and others."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for place, line in enumerate(lines):
        for tag in _TABLE_TAG.finditer(line):
            if not tag[1]:
                opened.append(place)
            elif opened:
                ends[opened.pop()] = place + 1
    return ends


def _rewritten_html(lines: Sequence[str]) -> list[str]:
    """Return a block of HTML as Markdown; one that is long, or has code of Markdown in it, as it is."""
    from services.search.files.html_in_markdown import as_markdown  # takes a quarter of a second

    block = _QUOTED.sub("", "\n".join(lines))
    if len(block) > MAX_HTML or _ONLY_TAGS.fullmatch(block) or any(map(is_fence, block.split("\n"))):
        return list(lines)
    return ["", *as_markdown(block).split("\n"), ""]


def _row(line: str) -> str:
    row = _QUOTED.sub("", line).strip()
    row = row if row.startswith("|") else f"| {row}"
    return row if row.endswith("|") and not row.endswith("\\|") else f"{row} |"


def _prose_and_code(text: str) -> list[str]:
    """Return prose without comments, and fenced code, alternately."""
    parts = [""]
    unclosed: set[str] = set()
    place = sought = 0
    while match := _CODE_OR_COMMENT.search(text, sought):
        sought = match.end()
        code = FENCED.match(text, match.start()) if match["fence"] else None
        close = _COMMENT_ENDS.get(match[0], "") if match[0] not in unclosed else ""
        end = code.end() if code else text.find(close, sought) + len(close) if close else 0
        if end <= sought:
            unclosed.add(match[0])
            continue
        parts[-1] += text[place : match.start()]
        parts += [code[0], ""] if code else []
        place = sought = end
    parts[-1] += text[place:]
    return parts
