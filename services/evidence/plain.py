"""Text from outside made harmless in Markdown."""

import re

_LINK = re.compile(r"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()]*\))*(?:\s+\"[^\"]*\")?\)")


def plain(text: str) -> str:
    """Return a text on one line, with everything escaped that could become a link, an image, HTML, code or a heading.

    Links of the text itself keep their words only.
    """
    text = _LINK.sub(r"\1", " ".join(text.split()))
    text = re.sub(r"[\\\[\]`<]", lambda found: "&lt;" if found.group() == "<" else f"\\{found.group()}", text)
    return re.sub(r"^(#+|[>|+-]|\d+[.)])(?=\s)", r"\\\1", text)
