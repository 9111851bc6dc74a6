"""Facts learned about endpoints and their models, stored below `LEADLINE_HOME`: refused parameters, silence, room for answers."""

import asyncio
import json
import os
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field, ValidationError

from services.run.log import WARNING, log
from services.run.private_files import make_private_folder
from services.run.roles import RoleModel
from services.run.settings import settings

Dialect = Literal["schema", "tool", "text"]
"""Form in which a schema's answer is requested: natively, as a call of one tool, or as JSON in the text."""
Thinking = Literal["unknown", "none", "apart", "tags"]
"""Where a model's reasoning stands: apart from its answer, or between tags amid its text."""

FILE = "endpoints.json"
KEPT_DAYS = 30
"""Days after which an endpoint is learned anew: servers are updated."""
_MAX_BYTES = 1_000_000
"""Maximum bytes read of the file."""


class Learned(BaseModel):
    """What an endpoint has taught about one of its models."""

    dialect: Dialect = "schema"
    native_tools: bool = True
    context_window: int | None = Field(default=None, gt=0)
    max_output: int | None = Field(default=None, gt=0)
    """Tokens of an answer that it allows at most, where it has refused more."""
    refused: set[str] = Field(default_factory=set)
    """Parameters that it does not take, such as `temperature`."""
    answers: int = Field(default=0, ge=0)
    """Calls that it has answered."""
    longest_silence: float = Field(default=0.0, ge=0, le=3_600)
    """Seconds that it has been silent in an answer that came all the same: slow models are waited for."""
    thinking: Thinking = "unknown"
    thinking_tokens: int = Field(default=0, ge=0)
    """Most tokens that it has spent on reasoning in one answer."""

    def settled(self) -> dict[str, object]:
        """Return the facts worth storing, with times rounded: small changes are not stored."""
        rough = {"answers": min(self.answers, 3), "longest_silence": float(round(self.longest_silence))}
        return {**self.model_dump(mode="json"), "refused": sorted(self.refused), **rough}


class _Entry(BaseModel):
    learned_on: datetime
    facts: Learned


_learned: dict[str, Learned] = {}
_stored: dict[str, dict[str, object]] = {}
"""Entries of the file, as far as this process knows them."""
_loaded: set[Path] = set()


def learned(model: RoleModel) -> Learned:
    """Return what is known of a model at its endpoint."""
    first: Dialect = "schema" if model.provider in {"openai", "offline", "ollama", "llamacpp"} else "tool"
    return _learned.setdefault(_key(model), Learned(dialect=first))


def has_answered(model: RoleModel) -> bool:
    """Tell whether a model is known to have answered a call, or any of its endpoint if none is named."""
    own = (key for key in _learned if key == _key(model) or (not model.named and key.startswith(f"{model.endpoint} ")))
    return any(_learned[key].answers for key in own)


def _key(model: RoleModel) -> str:
    return f"{model.endpoint} {model.model}"


def forget_learned() -> None:
    """Forget the facts in memory; the file is read again."""
    _learned.clear()
    _stored.clear()
    _loaded.clear()


async def load_learned() -> None:
    """Load the facts of earlier runs, once in a process."""
    file = _file()
    if file not in _loaded:
        entries = await asyncio.to_thread(_read, file)
        _loaded.add(file)
        for key, entry in entries.items():
            _learned.setdefault(key, entry.facts)
            _stored.setdefault(key, entry.facts.settled())


async def keep_learned(model: RoleModel) -> None:
    """Store the facts about a model if they have changed; a failure to write is only logged."""
    key, facts = _key(model), learned(model)
    settled = facts.settled()
    if _stored.get(key) == settled:
        return
    _stored[key] = settled
    try:
        await asyncio.to_thread(_write, _file(), key, facts)
    except OSError as error:
        log("endpoints_not_kept", WARNING, error=type(error).__name__)


async def forget_stored() -> None:
    """Delete the stored facts of all endpoints."""
    with suppress(OSError):
        await asyncio.to_thread(_file().unlink, missing_ok=True)
    forget_learned()


def _file() -> Path:
    return settings().leadline_home / FILE


def _read(file: Path) -> dict[str, _Entry]:
    """Return the entries that are not too old; an unreadable file has no entries."""
    try:
        with file.open("rb") as opened:
            content = json.loads(opened.read(_MAX_BYTES))
    except OSError:
        return {}
    except (ValueError, RecursionError) as error:
        log("endpoints_unreadable", WARNING, error=type(error).__name__)
        return {}
    oldest = datetime.now(UTC) - timedelta(days=KEPT_DAYS)
    entries: dict[str, _Entry] = {}
    for key, value in content.items() if isinstance(content, dict) else ():
        try:
            entry = _Entry.model_validate(value)
            if entry.learned_on >= oldest:
                entries[key] = entry
        except (ValidationError, TypeError):
            continue
    return entries


def _write(file: Path, key: str, facts: Learned) -> None:
    """Write one entry and keep the entries that other processes have written since; only the owner can read the file."""
    entries = {**_read(file), key: _Entry(learned_on=datetime.now(UTC), facts=facts)}
    text = json.dumps(
        {name: entry.model_dump(mode="json") for name, entry in entries.items()}, indent=1, sort_keys=True
    )
    make_private_folder(file.parent)
    half = file.with_name(f"{file.name}.{os.getpid()}")
    with os.fdopen(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as opened:
        opened.write(text)
    half.replace(file)
