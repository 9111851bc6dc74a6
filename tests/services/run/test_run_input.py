"""The input of a run: whatever JSON a client sends, the graph can take it, or it is refused with one message."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.types import Command

from schemas.state import merge_messages
from services.run.errors import BadInput
from services.run.run_input import checked_input

KEYS = st.sampled_from(["role", "type", "content", "id", "name", "tool_calls", "text", "additional_kwargs"])
WORDS = st.sampled_from(["user", "human", "ai", "assistant", "tool", "system", "remove", "king", "text", "", "\ud800"])
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)


@given(st.one_of(JSON, st.fixed_dictionaries({}, optional={"question": JSON, "messages": JSON})))
def test_whatever_a_client_sends_is_taken_or_refused(sent: Any) -> None:
    try:
        taken: Any = checked_input(sent)
    except BadInput:
        return
    if taken is not None:
        assert isinstance(taken.get("question", ""), str)
        merge_messages([], taken.get("messages", []))


@pytest.mark.parametrize("last", ["assistant", "user"])
def test_a_question_beside_messages_is_the_last_of_them(last: str) -> None:
    sent = [{"role": "user", "content": "Where?"}, {"role": last, "content": "There."}]
    taken: Any = checked_input({"question": "When?", "messages": sent})
    assert [message.text for message in merge_messages([], taken["messages"])] == ["Where?", "There.", "When?"]
    taken = checked_input({"question": "When?", "messages": sent[0]})
    assert [message.text for message in merge_messages([], taken["messages"])] == ["Where?", "When?"]
    repeated: Any = checked_input({"question": "Where?", "messages": sent[:1]})
    assert repeated["messages"] == sent[:1]


@pytest.mark.parametrize(
    "update", [{"question": 5}, {"messages": [5]}, {"plans": 5}, {"report": {"markdown": 5}}, [["question", 5]]]
)
def test_an_update_that_comes_as_a_command_is_checked_too(update: Any) -> None:
    with pytest.raises(BadInput, match=r"The input's question|Item 1|The state's plans|report\.title has a wrong form"):
        checked_input(Command(update=update, goto="coordinator"))
