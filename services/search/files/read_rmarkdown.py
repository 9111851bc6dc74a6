"""Rewrites R Markdown and Quarto as Markdown, by bookdown's manual (bookdown.org/yihui/bookdown): chunks, captions and references.

References to figures and tables become their labels, as the numbers are only known to the whole book.
"""

import re

from services.search.files import read_markdown
from services.text.code_blocks import FENCED, is_fence

_CHUNK = re.compile(r"([ \t]*+)(`{3,}+|~{3,}+)\{[ \t]*+([\w-]{1,40}+)([^\n]{0,2000})\}[ \t]*+(?:\n|\Z)")
"""The first line of a chunk: its indentation, its fence, its language and its options."""
_LABEL = re.compile(r"[ \t,]{1,9}+([\w./-]{1,100}+)[ \t]*+(?=,|\Z)")
_OPTION = re.compile(
    r"([\w.-]{1,40}+)[ \t]*+[=:][ \t]*+(?:\"((?>(?:[^\"\\\n]|\\.){0,2000}))\"|'((?>(?:[^'\\\n]|\\.){0,2000}))'|([^,\n]{0,200}+))"
)
_OPTION_LINE = re.compile(r"(?m)^[ \t]*+#\|[ \t]?([^\n]*+)\n?")
_CAPTIONS = ("fig.cap", "fig-cap", "tbl-cap")
"""Options that hold a caption, of R Markdown and of Quarto."""
_NO = frozenset({"false", "f"})
_THEOREMS = frozenset(
    "conjecture corollary definition example exercise hypothesis lemma proof proposition remark solution theorem".split()
)
_TEXT = _THEOREMS | {"asis", "block", "block2"}
"""Languages of chunks that are prose: bookdown's theorems, and blocks that are set off."""
_REFERENCE = re.compile(r"\\@ref\(([\w:./-]{1,100}+)\)")
_OWN_LABEL = re.compile(r"\(\\#([\w:./-]{1,100}+)\)")
"""Stands before a caption or behind a formula: `(\\#tab:ships)`."""
_TEXT_REFERENCE = re.compile(r"(?m)^\(ref:([\w-]{1,100}+)\)[ \t]++([^\n]{1,2000}+)$\n?")
"""Text that captions name: `(ref:ships) Ships of 1875`."""
_NAMED = re.compile(r"\(ref:([\w-]{1,100}+)\)")
_INDEX = re.compile(r"[ \t]?\\index\{[^{}\n]{0,300}+(?:\{[^{}\n]{0,200}+\}[^{}\n]{0,300}+)?\}")
"""An entry of the printed book's index."""


def as_markdown(text: str) -> str:
    """Return a text of R Markdown as Markdown that readers see: code that is not printed is left out, captions are paragraphs."""
    named = dict(_TEXT_REFERENCE.findall(text))
    parts = FENCED.sub(lambda block: _shown(block[0]), _TEXT_REFERENCE.sub("", text))
    for pattern, shown in ((_REFERENCE, r"[\1]"), (_OWN_LABEL, r"[\1]"), (_INDEX, "")):
        parts = pattern.sub(shown, parts)
    return read_markdown.as_read(_NAMED.sub(lambda name: named.get(name[1], name[0]), parts))


def _shown(block: str) -> str:
    """Return a chunk as its readers see it; any other code as it is. Of code that is not printed only a figure's caption is left."""
    chunk = _CHUNK.match(block)
    if chunk is None:
        return block
    indentation, ticks, language, written = chunk.groups()
    content = block[chunk.end() :]
    above, _, last = content.rpartition("\n")
    content = above if is_fence(last) else content
    own = "\n".join(_OPTION_LINE.findall(content))
    options = {
        name: double or single or bare.strip() for name, double, single, bare in _OPTION.findall(f"{written}\n{own}")
    }
    label = _LABEL.match(written)
    name = options.get("label") or (label[1] if label else "")
    if language in _TEXT:
        title = (
            ": ".join(filter(None, [f"{language.capitalize()} {name}".strip(), options.get("name")]))
            if language in _THEOREMS
            else ""
        )
        return f"\n{f'**{title}**{chr(10) * 2}' if title else ''}{content}\n"
    if options.get("include", "").lower() in _NO:
        return ""
    caption = next(
        (f"[{name if '-' in key else f'fig:{name}'}] {options[key]}" for key in _CAPTIONS if key in options), ""
    )
    printed = not caption or options.get("echo", "").lower() not in _NO
    code = "\n".join([f"{indentation}{ticks}{language}", _OPTION_LINE.sub("", content), f"{indentation}{ticks}", ""])
    return "\n".join([*[code] * printed, *[f"{indentation}{caption}", ""] * bool(caption)])
