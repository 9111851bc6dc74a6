"""How a report stands is told alike in the terminal and in a notebook."""

import io

import pytest
from rich.console import Console
from rich.text import Text

from leadline.progress.lines import Lines
from leadline.progress.live import Board
from leadline.progress.notebook import Progress
from leadline.progress.run_view import Watched, standing_of
from schemas.events import Event


@pytest.mark.parametrize(
    ("claims", "sure", "answered", "mark", "style"),
    [
        (2, 2, "yes", "✓", "green"), (2, 2, "partly", "·", ""), (2, 1, "yes", "!", "yellow"), (2, 0, "no", "!", "yellow"),
        (0, 0, "no", "·", "dim"),
    ],
)  # fmt: skip
def test_the_terminal_has_a_tick_for_all_alone(claims: int, sure: int, answered: str, mark: str, style: str) -> None:
    console = Console(file=io.StringIO())
    data = {"claims": claims, "verified": claims, "sure": sure, "answered": answered}
    event = Event(type="report", node="reporter", title="Report", data=data)
    with console.capture() as captured:
        Lines(console)(event)
    assert captured.get().startswith(f"{mark} Report")
    watched = Watched()
    watched.see(event)
    [line, _] = Board(console, watched)().renderables
    assert isinstance(line, Text)
    assert line.plain.replace("+", "✓").replace(".", "·") == f"{mark} Report"
    assert line.style == style
    progress = Progress()
    progress(event)
    assert f"{mark} Report" in str(progress)
    assert ("color:#080" in progress._repr_html_()) == (mark == "✓")


def test_events_of_earlier_versions_do_not_tell_whether_they_answer() -> None:
    assert standing_of({"claims": 2, "sure": 2}) == "sound"
