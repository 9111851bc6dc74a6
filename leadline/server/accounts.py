"""The server's accounts: names with their tokens, read from the environment and from a file."""

import hashlib
import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from services.run.errors import SettingsError
from services.run.settings import Settings, settings
from services.run.ui_text import say, told
from services.run.users import LOCAL

MIN_TOKEN = 16
"""Minimum characters of a token."""
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""Names are part of paths and store namespaces."""


@dataclass(frozen=True, slots=True)
class Accounts:
    """Names by the SHA-256 of their tokens; the tokens themselves are not stored."""

    by_digest: tuple[tuple[bytes, str], ...] = ()

    def __bool__(self) -> bool:
        """Tell whether there are accounts; every request then needs a token."""
        return bool(self.by_digest)

    def name_of(self, token: str) -> str | None:
        """Return the user of a token. Takes constant time, whether or not the token exists."""
        token_digest = hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
        user = None
        for digest, name in self.by_digest:
            if hmac.compare_digest(digest, token_digest):
                user = name
        return user


def read_accounts(environment: Settings) -> Accounts:
    """Read the accounts from the environment. Blocking.

    Raises:
        SettingsError: the file cannot be read, or a pair cannot be used; the message names the place, never the token.
    """
    pairs: list[tuple[str, str]] = []
    if environment.leadline_tokens is not None:
        entries = environment.leadline_tokens.get_secret_value().split(",")
        pairs += [(say("tokens_entry", number=number), text) for number, text in enumerate(entries, 1)]
    if environment.leadline_tokens_file is not None:
        pairs += _lines(environment.leadline_tokens_file)
    by_digest = dict(_accounts(pairs))
    if not by_digest and (environment.leadline_tokens is not None or environment.leadline_tokens_file is not None):
        raise SettingsError(**told("tokens_none"))
    return Accounts(tuple(by_digest.items()))


def _lines(file: Path) -> list[tuple[str, str]]:
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        raise SettingsError(**told("tokens_unread", file=file, error=type(error).__name__)) from None
    return [
        (say("tokens_line", file=file, number=number), line)
        for number, line in enumerate(lines, 1)
        if not line.lstrip().startswith("#")
    ]


def _accounts(pairs: Iterable[tuple[str, str]]) -> Iterable[tuple[bytes, str]]:
    """Yield digest and name of each pair that is not blank."""
    seen: dict[bytes, str] = {}
    for place, text in pairs:
        if not text.strip():
            continue
        name, colon, token = (part.strip() for part in text.partition(":"))
        if not colon or not _NAME.fullmatch(name) or name == LOCAL:
            raise SettingsError(**told("tokens_name", place=place, local=LOCAL))
        if len(token) < MIN_TOKEN:
            raise SettingsError(**told("tokens_short", place=place, name=name, limit=MIN_TOKEN))
        digest = hashlib.sha256(token.encode()).digest()
        if seen.setdefault(digest, name) != name:
            raise SettingsError(**told("tokens_same", place=place, first=seen[digest], name=name))
        yield digest, name


@cache
def accounts() -> Accounts:
    """Return the accounts of this process, read once when the server starts.

    Raises:
        SettingsError: the accounts cannot be used.
    """
    return read_accounts(settings())
