"""Text from outside made harmless in Markdown: shown as it is, and never a link, an image, HTML, code or a heading."""

import re

_SPECIAL = re.compile(r"[\\\[\]`*<>|~]|(?<!\w)_|_(?!\w)|!(?=\[)|&(?=#?\w+;)")
_BLOCK_START = re.compile(r"^(\s*)(#{1,6}(?=\s|$)|[-+=]|\d+(?=[.)](?:\s|$)))")


def escape_markdown(text: str) -> str:
    """Return a text on one line, escaped."""
    return plain_line(" ".join(text.split()))


def plain_line(line: str) -> str:
    """Escape one line and leave its blanks alone; addresses in it do not become links of themselves."""
    line = _SPECIAL.sub(lambda found: "&amp;" if found.group() == "&" else f"\\{found.group()}", line)
    line = _BLOCK_START.sub(lambda found: found.group(1) + _escaped_start(found.group(2)), line)
    return line.replace("://", "&#58;//").replace("www.", "www&#46;")


def _escaped_start(start: str) -> str:
    return f"{start}\\" if start[0].isdigit() else f"\\{start}"
