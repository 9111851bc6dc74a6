"""Errors in the words of a page: nothing in them is an option, a command or a setting of the operator of the server."""

import ast
import logging
import re
import tomllib
from collections.abc import Iterator

import pytest

from leadline.runs import arguments
from services.run import errors
from services.run.errors import (
    BadInput,
    LeadlineError,
    LimitReached,
    NotInstalled,
    SettingsError,
    StoreUnwritable,
    ToolError,
    UselessAnswer,
    problem_text,
)
from services.run.message_forms import OPERATORS_WORDS, for_a_page, is_served, on_a_page, on_the_command_line
from tests.conftest import PROJECT
from tests.services.run.test_ui_text import OF_A_COMMAND_LINE

_VALUE = re.compile(r"\{[^{}]*\}")


def messages_of_errors() -> Iterator[tuple[str, str]]:
    """Give each text that the source makes an error of, and its words for a page, if it has some; values in them are `X`."""
    for message in tomllib.loads((PROJECT / "services/run/error_text.toml").read_text("utf-8")).values():
        yield _VALUE.sub("X", message["en"]), _VALUE.sub("X", message.get("page_en", ""))
    names = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, LeadlineError)}
    for room in ("services", "nodes", "graph", "leadline/server", "leadline/runs"):
        for file in (PROJECT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Name)
                    and node.func.id in names
                    and node.args
                ):
                    page = [keyword.value for keyword in node.keywords if keyword.arg == "page"]
                    yield written(node.args[0]), written(page[0]) if page else ""


def written(value: ast.expr) -> str:
    """Return the text of an expression, as far as the source has it."""
    texts = [part.value for part in ast.walk(value) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return "X".join(texts)


def test_no_error_of_the_source_brings_operators_words_to_a_page() -> None:
    messages = [(text, page) for text, page in messages_of_errors() if OF_A_COMMAND_LINE.search(text)]
    assert len(messages) > 40
    told = [for_a_page(text, page) for text, page in messages]
    assert [text for text in told if OF_A_COMMAND_LINE.search(text)] == []


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("Brave was not reached. Check BRAVE_API_KEY, or use another search.", "Brave was not reached. Use another search."),
        ("It ran alone (LEADLINE_SANDBOX=unsafe).", "It ran alone."),
        ("There is none. Start one with: leadline research", "There is none."),
        ("LEADLINE_SEARCH cannot be used: there is no search x.", "This server is not set up for this."),
        ("It failed. Set LEADLINE_X. (HTTP 500)", "It failed. (HTTP 500)."),
        ("It is too long. Set LEADLINE_X to 3, or ask in fewer words.", "It is too long. Ask in fewer words."),
    ],
)  # fmt: skip
def test_what_only_the_operator_can_do_is_left_out_and_logged(
    message: str, shown: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="leadline"):
        assert for_a_page(message) == f"{shown} The operator of this server finds what to do in its log."
    [line] = [record.getMessage() for record in caplog.records]
    assert OPERATORS_WORDS.search(line)


def test_a_message_without_such_words_stays_as_it_is() -> None:
    message = "The question is empty (2 blanks). Ask something!  For example: what --deep means, or Leadline is."
    assert for_a_page(message) == message


def test_an_answer_that_cannot_be_used_is_explained_in_the_readers_language() -> None:
    told = problem_text(UselessAnswer("No JSON.", role="planner", problem="unusable"), "zh-CN")
    assert "（最后一次的问题：回答无法使用）" in told
    assert "JSON" not in told


@pytest.mark.parametrize(
    "make",
    [
        lambda: NotInstalled("The format pdf needs a package.", "pip install leadline[pdf]"),
        lambda: UselessAnswer("The model gave nothing.", role="planner", problem="empty"),
        lambda: LimitReached("page_limit", 3),
        lambda: StoreUnwritable("The journal", "disk is full"),
        lambda: BadInput("No such folder. Name one with --docs.", page="No such folder. Attach files."),
        lambda: SettingsError("No key is set. Set OPENAI_API_KEY."),
    ],
)
def test_an_error_has_its_own_words_on_a_page_and_the_operators_elsewhere(make: type[LeadlineError]) -> None:
    with on_the_command_line():
        text = str(make())
    assert OF_A_COMMAND_LINE.search(text) or "max_" in text or "pip install" in text
    with on_a_page():
        assert is_served()
        told = str(make())
    assert not OF_A_COMMAND_LINE.search(told)
    assert "max_" not in told
    assert "pip install" not in told
    assert told.partition(".")[0]


def test_what_goes_to_a_model_is_not_changed() -> None:
    with on_a_page():
        assert "--docs" in str(ToolError("The program says: unknown option --docs"))


assert arguments, "it registers the names of arguments"
SAID = {
    "Name another with --docs DIR.": "Name another with `docs`.",
    "Leave --max-steps and --format out, or raise --max-cost.": "Leave `max_step_num` and `output_formats` out, or raise `max_cost`.",
    "`leadline runs` lists all runs.": "`leadline.aruns()` lists all runs.",
    "Continue with: leadline resume 20261126-03": "Continue with: leadline.aresume('20261126-03')",
    "Continue with: leadline resume mine": "Continue with: leadline.aresume('mine')",
    "Start one with: leadline research": "Start one with: leadline.research()",
    "Choose another port: leadline serve --port 8": "Choose another port: leadline serve --port 8",
    "Make it anew: leadline runs export 2026 --format md.": "Make it anew: leadline runs export 2026 --format md.",
}


@pytest.mark.parametrize("message", SAID)
def test_options_are_arguments_in_python_and_stay_on_the_command_line(message: str) -> None:
    assert str(BadInput(message)) == SAID[message]
    with on_the_command_line():
        assert str(BadInput(message)) == message
