"""The values of a thread for its report: a turn without research keeps the last report."""

from typing import Any

from langgraph_sdk.client import LangGraphClient

from nodes.coordinator import DIRECT

MAX_TURNS = 200


async def turns_found(client: LangGraphClient, thread: str) -> list[Any]:
    """Return the state before each question of a thread, latest first."""
    return list(await client.threads.get_history(thread, limit=MAX_TURNS, metadata={"source": "input"}))


async def standing_values(client: LangGraphClient, thread: str, checkpoint: str | None = None) -> dict[str, Any]:
    """Return a thread's values, or those of a checkpoint.

    Where the present turn was a greeting or was answered at once, they are those of the last turn that has a report.
    While a question is being researched there is none, so that the report on another question is not mistaken for its
    answer.

    Raises:
        APIStatusError: the checkpoint does not exist.
    """
    state: Any = await client.threads.get_state(thread, checkpoint_id=checkpoint)
    values = _values(state)
    if checkpoint or values.get("report") or state.get("next") or not _direct(values):
        return values
    earlier = (_values(found) for found in await turns_found(client, thread))
    return next((past for past in earlier if past.get("report")), values)


def _values(state: Any) -> dict[str, Any]:
    return state["values"] if isinstance(state["values"], dict) else {}


def _direct(values: dict[str, Any]) -> bool:

    return (values.get("triage") or {}).get("intent") in DIRECT
