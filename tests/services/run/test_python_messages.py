"""Messages for users of Python name arguments and functions; those of the command name options and commands."""

import pytest

from leadline.runs import arguments
from services.run.errors import BadInput, ToolError
from services.run.python_messages import on_the_command_line

assert arguments, "it registers the names of arguments"
SAID = {
    "Name another with --docs DIR.": "Name another with `docs`.",
    "Leave --max-steps and --format out, or raise --max-cost.": "Leave `max_step_num` and `output_formats` out, or raise `max_cost`.",
    "`leadline runs` lists all runs.": "`leadline.aruns()` lists all runs.",
    "Continue with: leadline resume 20261126-03": "Continue with: leadline.aresume('20261126-03')",
    "Start one with: leadline research": "Start one with: leadline.research()",
    "Choose another port: leadline serve --port 8": "Choose another port: leadline serve --port 8",
    "Make it anew: leadline runs export 2026 --format md.": "Make it anew: leadline runs export 2026 --format md.",
}


@pytest.mark.parametrize("message", SAID)
def test_options_are_arguments_in_python_and_stay_on_the_command_line(message: str) -> None:
    assert str(BadInput(message)) == SAID[message]
    with on_the_command_line():
        assert str(BadInput(message)) == message


def test_what_a_model_is_told_stays_as_it_is() -> None:
    assert str(ToolError("The program says: unknown option --docs")) == "The program says: unknown option --docs"
