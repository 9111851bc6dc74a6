"""Reads Org as its readers see it: headings, code, tables, links and literals as Markdown, by its manual (orgmode.org/manual)."""

import re

from services.text.code_blocks import in_fence

_BLOCK = re.compile(r"(?im)^[ \t]*+#\+(begin|end)_(?:src|example)\b[ \t]*+([\w+-]{0,30}+)[^\n]*+(?:\n|\Z)")
_HEADING = re.compile(r"(?m)^(\*{1,5})[ \t]++(?=\S)")
_TITLE = re.compile(r"(?im)^#\+title:[ \t]*+(?=\S)")
_FIELD = re.compile(r"(?im)^#\+(author|date):[ \t]*+(?=\S)")
_UNSEEN = re.compile(
    r"(?im)^(?:#\+(?!(?:title|author|date):)\w{1,30}+:?(?:[ \t][^\n]*+)?|#[ \t][^\n]*+|[ \t]*+:[\w+-]{1,30}+:[^\n]*+)(?:\n|\Z)"
)
"""Keywords, comments, and the properties of headings."""
_RULE = re.compile(r"(?m)^([ \t]*+\|[-+]++\|?)[ \t]*+$")
_LINK = re.compile(r"\[\[([^\[\]\n]{1,500}+)\](?:\[([^\[\]\n]{1,300}+)\])?\]")
_LITERAL = re.compile(r"(?<![\w=~`])([=~])(?=[^\s=~`])([^=~`\n]{0,200}[^\s=~`])\1(?![\w=~`])")


def as_markdown(text: str) -> str:
    """Return a text of Org as Markdown."""
    parts: list[str] = []
    place = 0
    begin: re.Match[str] | None = None
    for line in _BLOCK.finditer(text):
        if line[1].lower() == "begin":
            begin = begin or line
        elif begin:
            code = text[begin.end() : line.start()].rstrip("\n")
            parts += [_prose(text[place : begin.start()]), *in_fence(code, begin[2]), ""]
            begin, place = None, line.end()
    return "\n".join([*parts, _prose(text[place:])])


def _prose(text: str) -> str:
    text = _FIELD.sub(lambda field: f"{field[1].capitalize()}: ", _UNSEEN.sub("", text))
    text = _HEADING.sub(lambda heading: f"\n#{'#' * len(heading[1])} ", _TITLE.sub("# ", text))
    text = _RULE.sub(lambda rule: rule[1].replace("+", "|"), text)
    text = _LINK.sub(lambda link: f"[{link[2]}]({link[1]})" if link[2] else link[1], text)
    return _LITERAL.sub(r"`\2`", text)
