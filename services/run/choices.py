"""A run's choices, stored with the run: whoever continues it need not make them again.

What a turn chose lies in the store under its hash, and the state holds the hash. It is small, and it holds no secrets: servers
of tools, whose addresses and arguments may hold some, are kept by their names alone. A new turn takes its own choices.
"""

import json
from collections.abc import Mapping
from typing import Any

from langgraph.store.base import BaseStore
from langgraph.types import Command, StateSnapshot

from prompts.overrides import system_text
from schemas.context import STEMS, RunContext
from services.run.errors import BadInput
from services.run.evidence_store import EvidenceStore
from services.run.scope import checked_choices

_NOT_STORED = {"mcp_servers"}
_FIRST_NODES = {"__start__", "coordinator"}
"""Nodes that run before a turn's choices are stored."""


async def store_choices(context: RunContext, evidence: EvidenceStore) -> str:
    """Store what a run chose; return the hash for its state, empty where it chose nothing.

    Raises:
        StoreUnwritable: the store takes nothing.
    """
    chosen = _chosen(context)
    if not chosen and not context.mcp_servers:
        return ""
    stored = {"context": chosen, "mcp_servers": sorted(context.mcp_servers)}
    return await evidence.put_bytes(json.dumps(stored, ensure_ascii=True, sort_keys=True).encode())


def _chosen(context: RunContext) -> dict[str, Any]:
    """Return what the run chooses itself, without the built-in prompts that Studio sends along."""
    built_in = {name for stem in STEMS if getattr(context, name := f"{stem}_prompt") == system_text(stem)}
    return context.model_dump(mode="json", include=context.own_choices() - built_in - _NOT_STORED, exclude_unset=True)


def continues_turn(given: object) -> bool:
    """Tell whether the input of a run continues a turn: an answer to an interrupt, a change of its report, or nothing at all."""
    return given is None or (
        isinstance(given, Command) and (given.resume is not None or given.goto in ("reporter", ["reporter"]))
    )


async def restored_choices(given: object, state: StateSnapshot, store: BaseStore) -> RunContext | None:
    """Return the choices of a run that continues a turn; new choices come before stored ones.

    Args:
        given: what the run chooses itself: plain data, a `RunContext`, or None.
        state: where it continues.
        store: where the choices are stored.

    Raises:
        BadInput: a choice is impossible, or servers of tools must be named again.
        StoreError: the store is not the one that the run wrote to.
    """
    key = state.values.get("choices") if isinstance(state.values, dict) and not _FIRST_NODES & set(state.next) else None
    own: dict[str, Any]
    if isinstance(given, RunContext):
        own = {name: getattr(given, name) for name in given.model_fields_set}
    else:
        own = dict(given) if isinstance(given, Mapping) else {}
    if not isinstance(key, str) or not key:
        return given if isinstance(given, RunContext) else checked_choices(own)
    stored = json.loads(await EvidenceStore(store).get_bytes(key))
    if stored["mcp_servers"] and "mcp_servers" not in own:
        raise BadInput(
            f"This run uses servers of tools ({', '.join(stored['mcp_servers'])}), which are not kept with it, as their addresses may "
            "hold secrets. Go on with them in the context again, or with an empty mcp_servers to do without.",
            page=f"This run uses servers of tools ({', '.join(stored['mcp_servers'])}), which are not kept with it, as their "
            "addresses may hold secrets. Name them again under “Tool servers” in the settings, or ask anew without them.",
        )
    return checked_choices({**stored["context"], **own})
