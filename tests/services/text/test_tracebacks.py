"""What a reader sees of a Python error."""

import pytest

from services.text.tracebacks import MAX_RAISED, without_frames

TRACE = """Traceback (most recent call last):
  File "/srv/app/.venv-sandbox/lib/python3.12/site-packages/pandas/core/indexes/base.py", line 3812, in get_loc
    return self._engine.get_loc(casted_key)
           ~~~~~~~~~~~~~~~~~~~~^^^^^^^^^^^^
  File "pandas/_libs/index.pyx", line 167, in pandas._libs.index.IndexEngine.get_loc
KeyError: 'depth'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "<string>", line 4, in <module>
    table["depth"]
"""


@pytest.mark.parametrize(
    ("raised", "shown"),
    [
        ("KeyError: 'depth'", "KeyError: 'depth'"),
        ("KeyError: 'depth'\nand what it printed", "KeyError: 'depth'"),
        ("ValueError: " + "x" * 900, "ValueError: " + "x" * (MAX_RAISED - 13) + "…"),
    ],
)
@pytest.mark.parametrize("cut", [0, 60])
def test_of_a_trace_stays_what_was_raised(raised: str, shown: str, cut: int) -> None:
    assert without_frames(f"{TRACE}{raised}"[cut:]) == shown
    assert without_frames(f"a/library.py:3: FutureWarning: old\n{TRACE}{raised}") == shown


def test_of_a_program_that_cannot_be_compiled_stays_the_error() -> None:
    assert without_frames('  File "<string>", line 1\n    1 +\n      ^\nSyntaxError: invalid syntax') == (
        "SyntaxError: invalid syntax"
    )


@pytest.mark.parametrize("error", ["stopped by timeout.", "No file.\nAsk for one of these:\n  a.csv", ""])
def test_an_error_without_a_trace_stays_as_it_is(error: str) -> None:
    assert without_frames(error) == error
