"""Steering a thread's run while it goes on.

    POST /steering/<thread>    say something: {"text": "only the costs"}, {"action": "skip", "steps": ["2"]} or {"action": "write"}
    GET  /steering/<thread>    the messages that the run has not taken yet

A message is followed at the run's next boundary, also after a crash; what cannot be followed is answered with 409 and what to do instead.
"""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Request
from langgraph_sdk.client import LangGraphClient
from pydantic import BaseModel, Field

from leadline.server.api_client import api_of, store_of
from leadline.server.threads import OwnThread
from schemas.steering import MAX_TEXT, Steering, SteeringAction
from services.run.errors import BadInput
from services.run.message_forms import on_a_page
from services.turn.steering import Standing, steer_thread, waiting_messages

steering = APIRouter()


class SteeringRequest(BaseModel, extra="forbid"):
    """Text of the message to the run."""

    text: str = Field(default="", max_length=MAX_TEXT)
    action: SteeringAction = "message"
    steps: list[Annotated[str, Field(pattern=r"^\d{1,4}$")]] = Field(default_factory=list, max_length=20)
    """Ids of the steps that `skip` drops."""


@steering.post("/steering/{thread_id}", status_code=202)
async def steer(thread: OwnThread, message: SteeringRequest, request: Request) -> Steering:
    """Leave a message for the thread's run."""
    client = api_of(request)
    standing = await _standing(client, thread)
    try:
        with on_a_page():
            return await steer_thread(store_of(client), standing, message.text, message.action, message.steps)
    except BadInput as refused:
        raise HTTPException(409, str(refused)) from None


@steering.get("/steering/{thread_id}")
async def waiting(thread: OwnThread, request: Request) -> list[Steering]:
    """List what the thread's run has not taken yet."""
    client = api_of(request)
    return await waiting_messages(store_of(client), await _standing(client, thread))


async def _standing(client: LangGraphClient, thread: str) -> Standing:
    state = await client.threads.get_state(thread)
    values = state["values"] if isinstance(state["values"], dict) else {}
    return Standing(thread, state["next"], values, dict(state.get("metadata") or {}))
