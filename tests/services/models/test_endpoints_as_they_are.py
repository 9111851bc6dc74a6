"""Endpoints that speak OpenAI's protocol in their own way: errors in other forms and words, answers in other shapes."""

from typing import Any

import pytest
from langchain_core.tools import tool

from schemas.reflector import Reflection
from schemas.researcher import ResearcherPrompt
from services.models import ask, write
from services.run.errors import ModelError
from services.tools.loop import use_tools
from tests.conftest import SetEnvironment
from tests.fakes.answer_forms import FORMS, THOUGHT
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, completion, error, tokens_in
from tests.services.models.conftest import ANSWER, PROMPT
from tests.services.models.test_ask import PROMPT_OF_REPORT
from tests.services.models.test_prompt_fit import prompt

WRITTEN = "The trench is deep [E1-1]."
WORKING = ResearcherPrompt(
    question="How deep?", locale="en-US", title="", description="", queries=[], feedback="", findings=[], passages=[]
)
PAGE = b"<html><head><title>524: A timeout occurred</title></head><body>Cloudflare</body></html>"
NO_TOOLS = "No endpoints found that support tool use."


@tool
async def depth_of(trench: str) -> str:
    """Return the depth of a trench in metres."""
    return f"{trench}: 10,935 m"


@pytest.mark.parametrize(
    ("reply", "words", "advice"),
    [
        (Reply(401, {"error": "token expired"}), "token expired", "Check OPENAI_API_KEY"),
        (Reply(400, [{"error": {"code": 400, "message": "Unknown name x"}}]), "Unknown name x", "LEADLINE_EXTRA"),
        (Reply(400, {"error": [{"message": "bad input"}]}), "bad input", "LEADLINE_EXTRA"),
        (Reply(422, {"detail": [{"loc": ["body", "n"], "msg": "not valid"}]}), "not valid", "LEADLINE_EXTRA"),
        (Reply(400, {"errors": [{"code": 5006, "message": "AiError: no"}]}), "AiError: no", "LEADLINE_EXTRA"),
        (Reply(400, raw=b"upstream said no"), "upstream said no", "LEADLINE_EXTRA"),
        (Reply(402, {"error": {"message": "Insufficient Balance"}}), "Insufficient Balance", "no credit"),
        (Reply(404, {"error": {"message": NO_TOOLS, "code": 404}}), NO_TOOLS, "LEADLINE_MODEL"),
        (
            Reply(
                403, {"error": {"message": "Provider error", "metadata": {"raw": '{"message": "not in your region"}'}}}
            ),
            "Provider error; not in your region",
            "rights of OPENAI_API_KEY",
        ),
        (
            Reply(200, {"base_resp": {"status_msg": "insufficient balance"}, "choices": None}),
            "insufficient balance",
            "",
        ),
    ],
)
async def test_the_providers_own_words_are_shown_with_what_to_do(
    endpoint: OpenAIServer, reply: Reply, words: str, advice: str
) -> None:
    endpoint.fault = lambda *_: reply
    with pytest.raises(ModelError) as caught:
        await ask("reflector", PROMPT, Reflection)
    assert f"It said: “{words}”" in str(caught.value)
    assert advice in str(caught.value)


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(200, raw=b"<html><h1>Welcome</h1></html>"), "Check OPENAI_BASE_URL; it usually ends in /v1"),
        (Reply(200, raw=b""), "not a chat completion"),
        (
            Reply(
                200, events=completion({"stream": True, "model": "m", "messages": []}, "Deep.").events, cut_after=200
            ),
            "The connection to the model's endpoint broke",
        ),
        (
            Reply(200, raw=b"data: {broken\n\n", headers={"Content-Type": "text/event-stream"}),
            "sent a stream that cannot be read",
        ),
        (
            error(429, "Slow down.", "rate_limit", retry_after="3600"),
            "It asks to wait 3,600 seconds. It said: “Slow down.”",
        ),
    ],
)
async def test_an_answer_that_cannot_be_read_is_not_called_words_or_silence(
    endpoint: OpenAIServer, environment: SetEnvironment, reply: Reply, message: str
) -> None:
    environment(LEADLINE_MAX_RETRIES="0")
    endpoint.fault = lambda *_: reply
    with pytest.raises(ModelError) as caught:
        await write("reporter", PROMPT_OF_REPORT)
    assert message in str(caught.value)
    assert "could not be reached" not in str(caught.value)
    assert ("It said" in str(caught.value)) == ("It said" in message or "connection" in message)


async def test_the_providers_words_do_not_show_the_key(endpoint: OpenAIServer, environment: SetEnvironment) -> None:
    environment(OPENAI_API_KEY="sk-0123456789abcdef")
    endpoint.key = "sk-0123456789abcdef"
    endpoint.fault = lambda *_: Reply(401, {"error": "The key sk-0123456789abcdef is no key"})
    with pytest.raises(ModelError, match="The key … is no key"):
        await ask("reflector", PROMPT, Reflection)


@pytest.mark.parametrize(
    "reply",
    [
        error(429, "slow down", "rate_limit_exceeded", retry_after="0"),
        error(500, "oops", "server_error"),
        Reply(200, {"id": "x"}, cut_after=3),
        Reply(524, raw=PAGE, headers={"Content-Type": "text/html"}),
        Reply(520, raw=b"error code: 520"),
        Reply(200, {"error": {"message": "Provider returned error", "code": 502}}),
        Reply(200, {"error": "model is loading"}),
        Reply(events=[{"error": {"message": "The model crashed"}}]),
        Reply(raw=b'{"error": {"message": "The model crashed"}}', headers={"Content-Type": "text/event-stream"}),
    ],
    ids=["429", "500", "reset", "524", "520", "an error", "a string", "in the stream", "in place of the stream"],
)
async def test_an_error_that_passes_is_waited_for_in_any_form(endpoint: OpenAIServer, reply: Reply) -> None:
    endpoint.script["reflector"] = [reply, reply, ANSWER]
    assert (await ask("reflector", PROMPT, Reflection)).has_enough_context
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"error": "the model is loaded with context length of only 8192 tokens, which is not enough."}),
        (400, {"error": {"message": "<400> InvalidParameter: Range of input length should be [1, 8192]"}}),
        (400, {"error": {"code": "1261", "message": "Prompt 超长"}}),
        (400, {"error": {"message": "Your request exceeded model token limit: 8192"}}),
        (422, {"error": "`inputs` tokens + `max_new_tokens` must be <= 8193"}),
        (413, {"error": "Request entity too large"}),
        (
            413,
            {
                "error": {
                    "message": "Request too large (TPM): Limit 8192, Requested 40000",
                    "code": "rate_limit_exceeded",
                }
            },
        ),
    ],
    ids=["LM Studio", "DashScope", "Zhipu", "Moonshot", "Together", "413", "Groq"],
)
async def test_less_is_sent_where_the_prompt_is_too_long_in_whatever_words(
    endpoint: OpenAIServer, status: int, body: dict[str, Any]
) -> None:
    def short(_: int, __: str, request: dict[str, Any]) -> Reply | str:
        return Reply(status, body) if tokens_in(request) + request["max_tokens"] > 8_192 else WRITTEN

    endpoint.fault = short
    reply = await write("reporter", prompt(40))
    assert reply.text == WRITTEN
    assert 0 < reply.left_out < 40 * 6, "steps and their quotes"


async def test_an_unnamed_refusal_is_no_lesson_for_other_calls(endpoint: OpenAIServer) -> None:
    endpoint.fault = lambda *_: Reply(400, {"error": "no"})
    with pytest.raises(ModelError):
        await ask("reflector", PROMPT, Reflection)
    endpoint.fault = lambda *_: ANSWER
    endpoint.requests.clear()
    await ask("reflector", PROMPT, Reflection)
    assert "response_format" in endpoint.requests[0]


@pytest.mark.parametrize(
    "words", ["System role not supported", "Conversation roles must alternate user/assistant/user/assistant/..."]
)
async def test_a_system_message_that_is_refused_becomes_the_users(endpoint: OpenAIServer, words: str) -> None:
    def fault(_: int, __: str, request: dict[str, Any]) -> Reply | str:
        roles = [message["role"] for message in request["messages"]]
        return Reply(400, {"error": {"message": words}}) if "system" in roles else ANSWER

    endpoint.fault = fault
    for _ in range(2):
        assert (await ask("reflector", PROMPT, Reflection)).has_enough_context
    assert [len(request["messages"]) for request in endpoint.requests] == [2, 1, 1]
    assert "How deep?" in endpoint.requests[1]["messages"][0]["content"]


async def test_a_404_for_tools_is_worked_with_without_them(endpoint: OpenAIServer) -> None:
    done = '{"thought": "ok", "action": {"type": "complete", "content": "It is deep."}}'
    endpoint.fault = lambda _, __, request: (
        Reply(404, {"error": {"message": NO_TOOLS, "code": 404}}) if "tools" in request else done
    )
    assert (await use_tools("researcher", WORKING, [depth_of])).text == "It is deep."


def in_pieces(*deltas: dict[str, Any], finish_reason: str | None = "stop", **more: Any) -> Reply:
    choices: list[dict[str, Any]] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices += [{"index": 0, "delta": {}, "finish_reason": finish_reason}] if finish_reason else []
    return Reply(events=[{"id": "1", "model": "m", "choices": [choice]} for choice in choices], **more)


async def test_an_answer_without_a_finish_reason_has_ended_where_the_server_says_so(endpoint: OpenAIServer) -> None:
    broken = in_pieces({"content": "The trench"}, finish_reason=None, done=False)
    endpoint.script["reporter"] = [broken, in_pieces({"content": WRITTEN}, finish_reason=None)]
    assert (await write("reporter", PROMPT_OF_REPORT)).text == WRITTEN


@pytest.mark.parametrize("form", FORMS)
async def test_thoughts_and_marks_are_split_from_an_answer(endpoint: OpenAIServer, form: str) -> None:
    tokens: list[str] = []
    endpoint.script["reporter"] = [FORMS[form](WRITTEN)] * 2
    for on_token in (None, tokens.append):
        reply = await write("reporter", PROMPT_OF_REPORT, on_token=on_token)
        assert reply.text == WRITTEN
        assert (THOUGHT in reply.reasoning) == (THOUGHT in FORMS[form](""))
    assert form == "another message" or THOUGHT not in "".join(tokens)
    endpoint.script["reflector"] = [FORMS[form](ANSWER)]
    assert (await ask("reflector", PROMPT, Reflection)).reasoning == "ok"


@pytest.mark.parametrize(
    "text",
    [
        "The token `<|im_end|>` ends a message, as <|eot_id|> does [E1-1].",
        '{"a": "<think>"}',
        "In HTML, <b>bold</b> is <b>bold</b>",
        "<b>Depth</b>\n\nIt is deep [E1-1].",
        "```python\n# depth\n```",
        "See [E1-1].\n\n```chart\n{}\n```\n\nMore [E1-2].",
        "Analysis of the trench [E1-1].",
        "# Depth\n\nDeep [E1-1].\n\n---\n\n- deep [E1-2]",
        "Deep [E1-1].\n\nNothing is known of its width.",
        "# Depth\n\nDeep [E1-1].\n\n===\nHow wide is it?",
        "# Depth\n\nDeep [E1-1].\n\n## Width\n\nWho knows?",
        "# Depth\n\n**TL;DR** How deep is it?",
        "x <|y> z and <y|> w [E1-1].",
    ],
)
async def test_what_only_looks_like_a_mark_stays(endpoint: OpenAIServer, text: str) -> None:
    endpoint.script["reporter"] = [text]
    assert (await write("reporter", PROMPT_OF_REPORT)).text == text


REPORT = "# It is deep\n\n**TL;DR** 10,935 m [E1-1].\n\n```chart\n{}\n```\n\n## Evidence\n\nDeep [E1-1]."


@pytest.mark.parametrize(
    "text",
    [
        f"Certainly! Here is your report:\n\n```markdown\n{REPORT}\n```\n\nLet me know if you need more!",
        f"当然！这是报告：\n\n```\n{REPORT}\n```",
        f"Certainly! Here is the report.\n\n---\n\n{REPORT}\n\n---\n\nLet me know if you need more.",
        f"Sure.\n\n```md\n{REPORT}",
        f"Of course. Below is the report.\n\n{REPORT}\n\nI hope that this helps.",
        f"{REPORT}\n\n需要我补充什么吗？",
    ],
)
async def test_a_report_is_taken_out_of_what_it_is_wrapped_in(endpoint: OpenAIServer, text: str) -> None:
    endpoint.script["reporter"] = [text]
    assert (await write("reporter", PROMPT_OF_REPORT)).text == REPORT


@pytest.mark.parametrize("streams", [True, False])
async def test_content_may_come_as_a_list_of_parts(endpoint: OpenAIServer, streams: bool) -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]}, {"type": "text", "text": WRITTEN}]
    message = {"role": "assistant", "content": parts}
    whole = Reply(
        200, {"id": "1", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    )
    endpoint.fault = lambda *_: in_pieces({"content": parts[:1]}, {"content": parts[1:]}) if streams else whole
    for on_token in (None, lambda _: None):
        reply = await write("reporter", PROMPT_OF_REPORT, on_token=on_token)
        assert (reply.text, reply.reasoning) == (WRITTEN, THOUGHT)


@pytest.mark.parametrize("streams", [True, False])
async def test_what_stands_beside_a_call_goes_back_with_it(endpoint: OpenAIServer, streams: bool) -> None:
    signed = {"extra_content": {"google": {"thought_signature": "c2lnbmVk"}}}
    call = {"id": "c1", "type": "function", "function": {"name": "depth_of", "arguments": '{"trench": "Mariana"}'}}
    thoughts = {"reasoning_content": THOUGHT, "reasoning_details": [{"type": "reasoning.encrypted", "data": "eA=="}]}
    message = {"role": "assistant", "content": None, **thoughts, "tool_calls": [{**call, **signed}]}
    halves = [{"reasoning_content": half} for half in (THOUGHT[:5], THOUGHT[5:])]
    details = {"reasoning_details": thoughts["reasoning_details"]}
    pieces = in_pieces(*halves, details, {"tool_calls": [{"index": 0, **call, **signed}]}, finish_reason="tool_calls")
    whole = Reply(
        200, {"id": "1", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    )

    def fault(_: int, __: str, request: dict[str, Any]) -> Reply | str:
        sent = [one for one in request["messages"] if one["role"] == "assistant"]
        if not sent:
            return pieces if streams else whole
        if sent[0]["tool_calls"][0].get("extra_content") != signed["extra_content"]:
            return Reply(400, [{"error": {"code": 400, "message": "Function call is missing a thought_signature"}}])
        if any(sent[0].get(name) != value for name, value in thoughts.items()):
            return Reply(400, {"error": {"message": "Missing `reasoning_content` field in the assistant message"}})
        return "It is 10,935 m deep."

    endpoint.fault = fault
    assert (await use_tools("researcher", WORKING, [depth_of])).text == "It is 10,935 m deep."
    assert len(endpoint.requests) == 2


async def test_a_finish_reason_of_its_own_is_kept(endpoint: OpenAIServer) -> None:
    endpoint.fault = lambda _, __, request: completion(request, "The trench", finish_reason="length")
    assert (await write("reporter", PROMPT_OF_REPORT)).cut_off


@pytest.mark.parametrize(
    "thoughts", ["<|START_THINKING|>Weigh", "<|channel|>analysis<|message|>Weigh", "<thinking>Weigh"]
)
async def test_thoughts_that_were_cut_off_are_no_answer(endpoint: OpenAIServer, thoughts: str) -> None:
    whole = f"{thoughts}.</thinking>{WRITTEN}" if thoughts.startswith("<thinking>") else WRITTEN
    endpoint.fault = lambda number, _, request: (
        completion(request, thoughts, finish_reason="length") if number == 1 else whole
    )
    reply = await write("reporter", PROMPT_OF_REPORT)
    assert (reply.text, reply.asked_because) == (WRITTEN, "empty")
