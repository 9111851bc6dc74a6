"""How a report stands is told alike in the terminal, in a notebook and by the command."""

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

from leadline.progress.lines import Lines
from leadline.progress.live import Board
from leadline.progress.notebook import Progress
from leadline.progress.run_view import Watched, standing_told
from schemas.events import Event
from schemas.evidence import EXCERPT_ID
from tests.fakes.openai_server import OpenAIServer, role_of, think

pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    ("claims", "sure", "answered", "mark", "style"),
    [
        (2, 2, "yes", "✓", "green"), (2, 2, "partly", "!", "yellow"), (2, 1, "yes", "!", "yellow"), (2, 0, "no", "!", "yellow"),
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
    assert standing_told({"claims": 2, "sure": 2}) == "some"


def test_the_command_gives_no_tick_to_a_report_of_which_not_everything_is_verified(
    endpoint: OpenAIServer, docs: Path
) -> None:
    endpoint.choose = unsupported
    command = [str(Path(sys.executable).with_name("leadline")), "research", "Who was William Thomson?", "--quick"]
    ran = subprocess.run([*command, "--docs", str(docs)], capture_output=True, text=True, timeout=100, check=True)
    assert re.search(
        r"! Report written · Answers the question: \w+ · \d of \d statements backed by quotes \([^)]*\b2 unverified\) · ",
        ran.stderr,
    )
    assert "✓" not in ran.stderr + ran.stdout
    evidence = json.loads(next(Path("out").glob("*/evidence.json")).read_text())
    assert [one["verified"] for one in evidence["claims"]][-2:] == [False, False]


def unsupported(body: dict[str, object]) -> str | None:
    """Write a report that ends with two sentences which its quotes do not support, where the reporter is asked."""
    if role_of(body) != "reporter":
        return None
    told = think("reporter", body).partition("\n===")[0]
    cited = re.search(rf"\[{EXCERPT_ID}\]", told)
    assert cited
    return f"{told}\n\nThe moon has 77777 lighthouses {cited[0]}. Its king weighed 88888 tons {cited[0]}.\n"
