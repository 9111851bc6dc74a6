"""The Markdown that a model writes, taken apart: citations as marks, nothing that links or runs, sentences as wholes.

While a report is checked, a citation is an excerpt's id between two private-use characters, so that nothing that a
model or a page writes can be taken for one; `restore_citations` turns the marks into `[E2-1]` again.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

from schemas.evidence import EXCERPT_ID
from services.evidence.citation_forms import INFERENCE, plain_citations
from services.text.character_references import unescape
from services.text.passages import sentences
from services.text.tokens import has_cjk

OPEN, CLOSE = "\ue000", "\ue001"
_SHELTER_OPEN, _SHELTER_CLOSE = "\ue002", "\ue003"
_PRIVATE = re.compile("[\ue000-\ue003\x00]")

_PLAIN = re.compile(rf"\[({EXCERPT_ID}|{INFERENCE})\]")
CITATION = re.compile(f"{OPEN}([^{OPEN}{CLOSE}]*){CLOSE}")
_MARK = rf"{OPEN}[^{OPEN}{CLOSE}]*+{CLOSE}"
_CITATIONS = rf"(?>{_MARK}(?:[ \t]*+(?:[,，、][ \t]*+)?{_MARK})*)"
_AFTER_STOP = re.compile(
    rf"(?<![.!?。！？…])([.!?。！？…]++[\"'”’」』）)*_]*+)[ \t]*+({_CITATIONS})(?>(?:[ \t]*+[.。](?![.。\w]))?)"
)
_INVENTED = re.compile(
    r"\[\^?(?:[ESP]?\d+(?:[-,，、–\s]+[ESP]?\d+)*|citation needed)\](?!\()|【[^】]{0,20}†[^】]{0,40}】", re.IGNORECASE
)

_MATH = re.compile(
    r"\$\$.{1,2000}?\$\$|(?<!\\)\\(?:\[(?:[^\\]|\\[^\[\]]){1,2000}?\\\]|\((?:[^\\]|\\[^()]){1,500}?\\\))|"
    r"(?<![\\$\w])\$(?=\S)[^$\n]{1,200}?(?<=[^\s\\])\$(?![\w$])",
    re.DOTALL,
)
_UNSAFE_MATH = re.compile(rf"\]\(|<[A-Za-z/!]|://|[`~{OPEN}]|\n\s*\n|^\$?\d[\d.,]*\s", re.DOTALL)
_CODE = re.compile(r"(?<!`)(`+)(?!`)([^\n]{1,2000}?)(?<!`)\1(?!`)")

_SCRIPT = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<!--.*?(?:-->|\Z)|</?[A-Za-z][^<>]*>|<[!?][^<>]*>", re.DOTALL)
_LINK = re.compile(
    r"!?\[((?>(?:[^\[\]\\]|\\.){0,400}))\]\((?>(?:[^()\\]|\\.|\((?>(?:[^()\\]|\\.){0,500})\)){0,2000})\)", re.DOTALL
)
_REFERENCE = re.compile(r"!?\[((?>(?:[^\[\]\\]|\\.){1,400}))\][ \t]?\[[^\[\]]{0,1000}+\]", re.DOTALL)
_END_OF_URL = r"[^\s<>\"'）)\]】，。；、|`\ue000-\ue003]"
URL = re.compile(
    rf"\b(?:(?:https?|ftps?|file|data|javascript|vbscript|mailto):/{{0,2}}|www\.){_END_OF_URL}+|"
    rf"(?<![\w.-])(?:[\w-]{{1,63}}\.){{1,6}}(?:com|org|net|gov|edu|cn|io|info)/{_END_OF_URL}*",
    re.IGNORECASE,
)
_EMPTY_BRACKETS = re.compile(r"(?<![ \t])[ \t]*+(?:\(\s*+\)|\[\s*+\]|（\s*+）)")
_BLOCK_START = re.compile(
    r"\A(?:#{1,6}(?=\s|$)|[-+*](?=\s|$)|\d{1,9}[.)](?=\s|$)|[>=<|]|`{3}|~{3}|(?=[-*_:|])[-*_:|\s]+$|\[(?=[^\]]*\]:))"
)
_HARD_BREAK = re.compile(r"(?:(?<! ) {2,}+|\\)\n")
_WRAP = re.compile(r"(?<!\s)[^\S\n]*+\n\s*+")
_PARSER = MarkdownIt("commonmark").enable("table")
_ACTIVE = frozenset({"link_open", "image", "html_inline", "html_block"})


@dataclass(slots=True)
class Shelter:
    """Keeps formulas and code out of the way while the text around them is worked on."""

    sheltered: list[str] = field(default_factory=list)

    def formulas(self, text: str) -> str:
        """Replace formulas by marks."""
        return _MATH.sub(
            lambda match: match.group() if _UNSAFE_MATH.search(match.group()) else self._keep(match.group()), text
        )

    def code(self, text: str) -> str:
        """Replace code spans by marks."""
        return _CODE.sub(lambda match: self._keep(CITATION.sub("", match.group())), text)

    def restored(self, text: str) -> str:
        """Put everything back."""
        mark = re.compile(f"{_SHELTER_OPEN}([0-9]{{1,9}}){_SHELTER_CLOSE}")
        for _ in range(2):  # code may hold a formula's mark
            text = mark.sub(self._restored, text)
        return text

    def _restored(self, mark: re.Match[str]) -> str:
        place = int(mark.group(1))
        return self.sheltered[place] if place < len(self.sheltered) else ""  # a mark that the text brought along

    def only_formulas(self, text: str) -> bool:
        """Tell whether a text is nothing but formulas."""
        bare = re.sub(r"[\s.,;:。，；：]+", "", text)
        marks = re.fullmatch(f"(?:{_SHELTER_OPEN}[0-9]{{1,9}}{_SHELTER_CLOSE})+", bare)
        places = map(int, re.findall(r"[0-9]+", bare)) if marks else ()
        return marks is not None and all(
            place < len(self.sheltered) and self.sheltered[place][0] in "$\\" for place in places
        )

    def _keep(self, text: str) -> str:
        self.sheltered.append(text)
        return f"{_SHELTER_OPEN}{len(self.sheltered) - 1}{_SHELTER_CLOSE}"


def with_marks(markdown: str, known: Collection[str] = ()) -> str:
    """Turn citations in any of the forms that models write into marks, one an id; so is what says that they are premises.

    Args:
        markdown: as a model wrote it.
        known: ids that may be cited, by which ids without brackets are told from other words.
    """
    plain = plain_citations(_PRIVATE.sub("", markdown), known)
    return _PLAIN.sub(rf"{OPEN}\1{CLOSE}", plain)


def restore_citations(text: str) -> str:
    """Turn marks into `[E2-1]`."""
    return CITATION.sub(r"[\1]", text)


def cited_ids(text: str) -> list[str]:
    """Return the ids that a text cites, each once, in order."""
    return [key for key in dict.fromkeys(CITATION.findall(text)) if key != INFERENCE]


def is_inference(text: str) -> bool:
    """Tell whether a text is marked as inference."""
    return f"{OPEN}{INFERENCE}{CLOSE}" in text


def without_marks(text: str) -> str:
    """Take citations out of a text, with the blanks before them."""
    text = re.sub(rf"(?<![ \t])[ \t]*+{_CITATIONS}", " ", text).replace("  ", " ")
    return re.sub(r"(?<! ) ++(?=[.,;:!?。，；：！？)）])", "", text).strip()


def strip_markup(text: str, shelter: Shelter, known: str) -> str:
    """Take out HTML, links, images and addresses of inline Markdown; their words stay.

    Args:
        text: with marks for citations.
        shelter: takes code spans in.
        known: texts of the evidence; an address that occurs there stays, as code.
    """
    text = shelter.code(text)
    text = _TAG.sub(lambda match: " " if match.group().lower().startswith("<br") else "", _SCRIPT.sub("", text))
    for _ in range(4):
        text, count = _LINK.subn(r"\1", text)
        if not count:
            break
    text = _REFERENCE.sub(r"\1", _INVENTED.sub("", text))
    text = URL.sub(lambda match: shelter.code(f"`{match.group()}`") if match.group() in known else "", text)
    return _EMPTY_BRACKETS.sub("", text)


def make_inert(block: str) -> str:
    """Make sure of a finished block of Markdown: parsed again, its citations must be its only links.

    Whatever mixture of markup slipped through what `strip_markup` takes out is shown as plain characters instead.
    """
    block = re.sub(rf"(?<=[!\\])(?={OPEN})", " ", re.sub(rf"(?<={CLOSE})(?=[(\[])", " ", block))
    if _is_inert(block):
        return block
    escaped = re.sub(r"[\[\]<`!~]", r"\\\g<0>", block.replace("\\", ""))
    return escaped if _is_inert(escaped) else ""


def _is_inert(block: str) -> bool:
    if _active(CITATION.sub("x", block)):
        return False
    active = _active(CITATION.sub("[[1]](s)", block))
    citations = [token for token in active if token.type == "link_open" and token.attrs.get("href") == "s"]
    return len(active) == len(citations) == len(CITATION.findall(block))


def _active(markdown: str) -> list[Token]:
    tokens = _PARSER.parse(markdown)
    inner = [child for token in tokens for child in token.children or []]
    return [token for token in [*tokens, *inner] if token.type in _ACTIVE]


def escape_block_starts(text: str) -> str:
    """Escape what, at the beginning of a line, would make a paragraph something else: a heading, a list, a fence."""
    return "\n".join(
        _BLOCK_START.sub(lambda match: _escaped_start(match.group()), line.lstrip()) for line in text.split("\n")
    )


def _escaped_start(start: str) -> str:
    return f"{start[:-1]}\\{start[-1]}" if start[0].isdigit() else f"\\{start}"


def lines_of(text: str) -> list[str]:
    """Cut inline Markdown at its hard line breaks and join what is only wrapped."""
    return [_WRAP.sub(_joint, line).strip() for line in _HARD_BREAK.split(text)]


def _joint(match: re.Match[str]) -> str:
    before, after = match.string[: match.start()][-1:], match.string[match.end() :][:1]
    return "" if has_cjk(before) and has_cjk(after) else " "


def sentences_of(text: str) -> list[str]:
    """Split a line into sentences; citations behind a full stop go before it, and a semicolon ends nothing.

    Of a full stop before citations and another behind them the first stays.
    """
    text = _AFTER_STOP.sub(_before_stop, text)
    spans: list[tuple[int, int]] = []
    for span in sentences(text):
        if spans and (text[spans[-1][1] - 1] in "；;" or not re.search(r"\w", _bare(text[span.start : span.end]))):
            spans[-1] = (spans[-1][0], span.end)
        else:
            spans.append((span.start, span.end))
    return [text[start:end] for start, end in spans]


def _before_stop(match: re.Match[str]) -> str:
    chinese = match.group(1)[0] in "。！？…"
    return f"{match.group(2).strip()}{match.group(1)}" if chinese else f" {match.group(2).strip()}{match.group(1)} "


def _bare(text: str) -> str:
    return CITATION.sub("", text)


def join_sentences(parts: Iterable[str]) -> str:
    """Put sentences together again, with blanks where the script has them."""
    text = ""
    for part in parts:
        text += part if not text or text[-1] in "。！？；）" or part[:1] in "。！？" else f" {part}"
    return text.replace("**", "") if text.count("**") % 2 else text


def words_of(text: str, shelter: Shelter) -> str:
    """Return the words of inline Markdown as a reader sees them, without citations and emphasis."""
    text = shelter.restored(without_marks(text))
    text = re.sub(r"\*+|`+|~~|(?<!\w)_+|(?<!_)_++(?!\w)", "", re.sub(r"\\([^\w\s])", r"\1", text))
    return " ".join(unescape(text).split())
