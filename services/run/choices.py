"""Stores a run's choices with the run, so that a continued run need not repeat them.

The choices of a turn are in the store under their hash, and the state holds the hash. It is small, and it holds no
secrets: servers of tools, whose addresses and arguments may hold some, are kept by their names alone. A new turn takes
its own choices.

The state holds nothing of a turn whose first node has not ended, nor of what was chosen anew when a run was resumed: the store has
a note of both, by thread and turn.
"""

import json
from collections.abc import Collection, Mapping
from typing import Any

from langgraph.store.base import BaseStore
from langgraph.types import Command, StateSnapshot

from schemas.context import RunContext, flat
from services.run.checked_choices import checked_choices
from services.run.errors import BadInput
from services.run.evidence_store import EvidenceStore
from services.run.journal import run_key
from services.run.roles import check_models_remain, roles_with_model
from services.run.ui_text import told

_NOT_STORED = {"mcp_servers"}
_FIRST_NODES = {"__start__", "coordinator"}
"""Nodes that run before the state holds a turn's choices."""
NOTES = ("choices",)
FIRST_TURN = 1
"""Turn of a thread's first run, also of a run without checkpoints."""


async def store_choices(context: RunContext, evidence: EvidenceStore) -> str:
    """Store a run's choices; return the hash for its state, empty if the run chose nothing.

    Raises:
        StoreUnwritable: the store cannot be written.
    """
    chosen = _chosen(context)
    if not chosen and not context.mcp_servers:
        return ""
    stored = {"context": chosen, "mcp_servers": sorted(context.mcp_servers)}
    return await evidence.put_bytes(json.dumps(stored, ensure_ascii=True, sort_keys=True).encode())


def _chosen(context: RunContext) -> dict[str, Any]:
    return context.model_dump(mode="json", include=context.own_choices() - _NOT_STORED, exclude_unset=True)


async def note_choices(
    store: BaseStore, thread: str, turn: int, context: RunContext, key: str, former: str = ""
) -> None:
    """Record the choices of a turn that its state does not hold yet, and which roles a model plays in it.

    Args:
        store: the store that holds the choices.
        thread: id of the thread.
        turn: number of the turn, as in the state.
        context: the choices.
        key: hash of the choices.
        former: hash in the state, which the note replaces; a state with another hash is newer than the note.
    """
    note = {"key": key, "former": former, "models": roles_with_model(context)}
    await store.aput(NOTES, run_key(thread, turn), note, index=False)


async def _noted(store: BaseStore, thread: str, state: StateSnapshot) -> tuple[str | None, dict[str, Any]]:
    """Return the hash of the current choices, from the note if it is newer than the state, and the note."""
    first = _begins(state)
    if not first and "turn" not in _values(state):
        return None, {}
    former = "" if first else _values(state).get("choices")
    item = await store.aget(NOTES, run_key(thread, _turn(state)))
    note = item.value if item is not None else {}
    return (str(note["key"]) if note and note["former"] == former else former), note


def _values(state: StateSnapshot) -> Mapping[str, Any]:
    return state.values if isinstance(state.values, dict) else {}


def _begins(state: StateSnapshot) -> bool:
    """Tell whether the turn's first node has not finished."""
    return bool(_FIRST_NODES & set(state.next))


def _turn(state: StateSnapshot) -> int:
    return turn_at(state.next, _values(state), state.metadata or {})


def turn_at(following: Collection[str], values: Mapping[str, Any], metadata: Mapping[str, Any]) -> int:
    """Return the turn of a checkpoint: the step in which the turn's first node runs."""
    if not _FIRST_NODES & set(following):
        return int(values.get("turn", FIRST_TURN))  # no first node has ended yet
    return int(metadata.get("step", 0)) + (2 if "__start__" in following else 1)


def continues_turn(run_input: object) -> bool:
    """Tell whether a run's input continues a turn: an answer to an interrupt, a change of its state or its report, or no input."""
    return run_input is None or (
        isinstance(run_input, Command)
        and (run_input.resume is not None or not run_input.goto or run_input.goto in ("reporter", ["reporter"]))
    )


async def restored_choices(new_choices: object, state: StateSnapshot, store: BaseStore) -> RunContext:
    """Return the choices of a run that continues a turn; new choices replace stored ones and stay in force.

    Raises:
        BadInput: a choice is impossible, or servers of tools must be named again.
        SettingsError: the turn is not finished, and a model that it began with is not connected any more.
        StoreError: the store is not the one that the run wrote to.
    """
    thread = str(state.config.get("configurable", {}).get("thread_id") or "")
    own: dict[str, Any]
    if isinstance(new_choices, RunContext):
        own = {name: getattr(new_choices, name) for name in new_choices.model_fields_set}
    else:
        own = flat(new_choices) if isinstance(new_choices, Mapping) else {}
    key, note = await _noted(store, thread, state)
    if not key:
        chosen = new_choices if isinstance(new_choices, RunContext) else checked_choices(own)
    else:
        stored = json.loads(await EvidenceStore(store).get_bytes(key))
        if stored["mcp_servers"] and "mcp_servers" not in own:
            raise BadInput(**told("choices_servers", servers=", ".join(stored["mcp_servers"])))
        chosen = checked_choices({**stored["context"], **own})
    if state.next and note:
        check_models_remain(note.get("models", []), chosen, str(_values(state).get("locale") or "en"))
    if own and key is not None:
        former = "" if _begins(state) else str(state.values.get("choices") or "")
        await note_choices(
            store, thread, _turn(state), chosen, await store_choices(chosen, EvidenceStore(store)), former
        )
    return chosen
