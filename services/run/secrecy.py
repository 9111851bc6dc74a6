r"""Masks the operator's secrets in texts from outside: keys, tokens, passwords, and what addresses hold of them.

Whoever reads a secret registers it: settings, search services, tool servers, databases, accounts. An endpoint may repeat what it was sent
in any error, so every text from outside passes `without_secrets` before it is shown, kept or logged. A secret is recognised as it is, with
characters escaped (`%2F`, `\u002f`, `\057`, `\/`, `&#47;`, also twice), in Base64 at any offset, and in hexadecimal digits. Of a secret with
`PIECE` letters and digits or more, any piece of that length with a digit is recognised, in either case, whatever stands between its characters: quotes and
commas of a list, line breaks, tags, invisible characters; so are the codes of its characters, and its Base64 in Base64.
"""

import base64
import html
import logging
import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit, urlunsplit

MASK = "…"
MIN_SECRET, MIN_WORD = 6, 8
"""Minimum characters of a secret, and of one of letters or digits alone; what is shorter would mask ordinary text."""
PIECE = 16
"""Letters and digits of a piece of a secret that is recognised alone; shorter ones could be parts of ordinary words."""
MAX_ESCAPES = 3
"""How many times over a character may be escaped."""
NAMED_SECRET = re.compile(r"key|token|secret|passw|auth|credential", re.IGNORECASE)
"""Names of variables, headers and parameters whose values are secrets."""
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s;\"']+")
_LONG_WORD = re.compile(r"[A-Za-z0-9]{20,}")
"""A part of an address that is a key, if it has both letters and digits."""
_ESCAPE = re.compile(
    r"(?:%|\\x)([0-9A-Fa-f]{2})|[\\%]u([0-9A-Fa-f]{4})|\\u\{([0-9A-Fa-f]{1,6})\}|\\U000([0-9A-Fa-f]{5})|\\(?P<octal>[0-3][0-7]{2})"
    r"|\\(?P<plain>[^\w\s])|(?P<entity>&(?:#[0-9]{1,12}|#[xX][0-9A-Fa-f]{1,12}|[A-Za-z]{2,8});?)|(?P<tag><[^<>]{0,200}>)"
)
_LETTERS = re.compile(r"[A-Za-z0-9]+")
_LOGGERS_OF_CLIENTS = ("httpx", "httpx2")
"""Loggers that write the address of each request."""


@dataclass(frozen=True, slots=True)
class _Form:
    """One way to write a secret."""

    text: str
    is_word: bool = False
    """Whether it has only letters or only digits, so that it must not be a part of a longer word."""


_forms: dict[str, tuple[_Form, ...]] = {}
"""The registered secrets, each with its forms."""
_pieces: set[str] = set()
"""All pieces of `PIECE` letters and digits, in lower case, of the long secrets in each of their forms."""


def register_secrets(values: Iterable[str]) -> None:
    """Register values that no text shows from now on; values that are too short for a secret are left alone.

    Of an address, its password and the keys in its query and path are registered, not the address.
    """
    for value in values:
        for secret in [value] if not _ADDRESS.search(value) else _in_addresses(value):
            if secret not in _forms and _is_secret(secret):
                _forms[secret] = tuple(_forms_of(secret))
                _pieces.update(_pieces_of(secret))
    for name in _LOGGERS_OF_CLIENTS:
        logging.getLogger(name).addFilter(_hide_in_record)


def register_named_secrets(values: Mapping[str, Any]) -> None:
    """Register what a mapping, such as of headers, holds under names of secrets, at any depth; also without the word `Bearer`."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            register_named_secrets(value)
        elif isinstance(value, str) and (NAMED_SECRET.search(name) or _ADDRESS.search(value)):
            register_secrets([value, value.rpartition(" ")[2]])


def forget_secrets() -> None:
    """Forget all secrets; for tests that change the environment."""
    _forms.clear()
    _pieces.clear()


def without_secrets(text: str) -> str:
    """Return a text with a mask in place of each registered secret, however it is written."""
    shown, places = text, None
    spans: list[tuple[int, int]] = []
    for _ in range(1 + MAX_ESCAPES):
        for start, end in _secret_spans(shown):
            spans.append((start, end) if places is None else (places[start], places[end]))
        unescaped = _unescaped(shown)
        if unescaped is None:
            break
        shown, inner = unescaped
        places = inner if places is None else [places[place] for place in inner]
    return _with_masks(text, spans) if spans else text


def without_secrets_in(value: Any) -> Any:
    """Return plain data whose texts are without secrets."""
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, list | tuple):
        return [without_secrets_in(element) for element in value]
    if isinstance(value, dict):
        return {key: without_secrets_in(element) for key, element in value.items()}
    return value


def shown_address(address: str) -> str:
    """Return an address as people may see it: without user, password and query, which may hold a key."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return without_secrets(address)
    return without_secrets(urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", "")))


def _is_secret(value: str) -> bool:
    return len(value) >= (MIN_WORD if _is_word(value) else MIN_SECRET)


def _is_word(value: str) -> bool:
    return value.isalpha() or value.isdigit()


def _in_addresses(text: str) -> Iterator[str]:
    for address in _ADDRESS.findall(text):
        try:
            parts = urlsplit(address)
        except ValueError:
            continue
        user, _, password = parts.netloc.rpartition("@")[0].partition(":")
        named = [value for name, value in parse_qsl(parts.query) if NAMED_SECRET.search(name)]
        random = [word for word in _LONG_WORD.findall(f"{parts.path}?{parts.query}") if not _is_word(word)]
        for secret in (password or user, *named, *random):
            yield secret
            yield unquote(secret)


def _forms_of(secret: str) -> Iterator[_Form]:
    data = secret.encode()
    yield _Form(secret, _is_word(secret))
    yield _Form(quote(secret, safe=""), _is_word(secret))
    yield from (_Form(data.hex()), _Form(data.hex().upper()))
    for core in _in_base64(data):
        yield from (_Form(core), _Form(core.translate(str.maketrans("+/", "-_"))))


def _pieces_of(secret: str) -> Iterator[str]:
    """Yield all pieces of a long secret, and of its forms; none of a short one."""
    data = secret.encode()
    if len(_letters(secret)) < PIECE:
        return
    codes = ["".join(map(form.format, data)) for form in ("{:d}", "{:02x}", "0x{:02x}", "{:x}00")]
    coded = list(_in_base64(data))
    again = [twice for once in coded for twice in _in_base64(once.encode())]
    for form in (secret, *codes, *coded, *again):
        letters = _letters(form)
        for start in range(len(letters) - PIECE + 1):
            piece = letters[start : start + PIECE]
            if form is not secret or not piece.isalpha():  # letters alone may be words of a password
                yield piece


def _in_base64(data: bytes) -> Iterator[str]:
    """Yield what all Base64 of texts that hold the data has in common, at each of the three offsets."""
    for offset in range(3):
        coded = base64.b64encode(bytes(offset) + data).decode().rstrip("=")
        # the first characters also depend on what comes before, the last one on what follows
        yield coded[(0, 2, 3)[offset] : len(coded) - bool((offset + len(data)) % 3)]


def _letters(text: str) -> str:
    return "".join(_LETTERS.findall(text)).lower()


def _secret_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of all secrets in a text, and of pieces of long ones."""
    for forms in _forms.values():
        for form in forms:
            start = text.find(form.text)
            while start >= 0:
                end = start + len(form.text)
                if not form.is_word or not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
                    yield start, end
                start = text.find(form.text, end)
    if _pieces:
        yield from _piece_spans(text)


def _piece_spans(text: str) -> Iterator[tuple[int, int]]:
    words = list(_LETTERS.finditer(text))
    letters = "".join([word[0] for word in words]).lower()
    begun = list(accumulate((word.end() - word.start() for word in words), initial=0))

    def place(letter: int) -> int:
        word = bisect_right(begun, letter) - 1
        return words[word].start() + letter - begun[word]

    first = last = -PIECE
    for start in range(len(letters) - PIECE + 1):
        if letters[start : start + PIECE] in _pieces:
            if start > last + 1:
                if last >= 0:
                    yield place(first), place(last + PIECE - 1) + 1
                first = start
            last = start
    if last >= 0:
        yield place(first), place(last + PIECE - 1) + 1


def _unescaped(text: str) -> tuple[str, list[int]] | None:
    """Return a text without escapes and tags, and the place of each of its characters in the text, with that of the end; None without any."""
    pieces, places, last = list[str](), list[int](), 0
    for escape in _ESCAPE.finditer(text):
        character = _character(escape)
        if character is not None:
            pieces += (text[last : escape.start()], character)
            places += range(last, escape.start() + len(character))
            last = escape.end()
    if not pieces:
        return None
    return "".join([*pieces, text[last:]]), [*places, *range(last, len(text) + 1)]


def _character(escape: re.Match[str]) -> str | None:
    """Return the character of an escape, an empty text for a tag, and None for anything else."""
    kind, written = escape.lastgroup, escape[escape.lastindex or 0]
    match kind:
        case "tag":
            return ""
        case "plain":
            return written
        case "octal":
            return chr(int(written, 8))
        case "entity":
            character = html.unescape(written)
            return character if len(character) == 1 else None
    return chr(int(written, 16)) if int(written, 16) <= sys.maxunicode else None


def _with_masks(text: str, spans: Iterable[tuple[int, int]]) -> str:
    pieces, last = list[str](), 0
    for start, end in sorted(spans):
        if end > last:
            pieces += (text[last:start], MASK) if start >= last else ()
            last = end
    return "".join([*pieces, text[last:]])


def _hide_in_record(record: logging.LogRecord) -> bool:
    """Mask secrets in a line of a client's log, such as the address of a request."""
    message = record.getMessage()
    if (hidden := without_secrets(message)) != message:
        record.msg, record.args = hidden, ()
    return True
