"""An extra that is missing is offered where a person can answer, by the command that the message names."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from services.run.installation import install_command

LACKING = """
import sys
from leadline.cli import app
from services.run.errors import NotInstalled

def lacking():
    raise NotInstalled("The pump is not installed.", "touch 'installed pump'")

app.app, sys.argv = lacking, ["leadline", "--version"]
app.main()
"""
"""A command that lacks something which `touch` installs."""
PUMP = Path("installed pump")


def _answered(answer: str) -> tuple[int, str]:
    """Run it in a terminal, where someone answers, and return the exit code and what stood there."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", LACKING], stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        os.write(ours, f"{answer}\n".encode())
        said = b""
        try:
            while piece := os.read(ours, 4096):
                said += piece
        except OSError:  # the terminal is gone when its last program has ended
            pass
        os.close(ours)
    return process.returncode, said.decode()


@pytest.mark.parametrize("answer", ["", "y"])
def test_a_yes_installs_it_and_runs_the_command_again(answer: str) -> None:
    code, said = _answered(answer)
    assert PUMP.exists()
    assert "The pump is not installed. Install it with: touch 'installed pump'" in said
    assert "leadline 0." in said
    assert code == 0


def test_a_no_leaves_it_at_the_message() -> None:
    code, said = _answered("n")
    assert not PUMP.exists()
    assert "leadline 0." not in said
    assert code == 1


def test_where_nobody_can_answer_nothing_is_asked() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", LACKING], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert ran.stderr.strip() == "leadline: The pump is not installed. Install it with: touch 'installed pump'"
    assert ran.returncode == 1
    assert not PUMP.exists()


def test_in_the_projects_folder_the_command_installs_the_project() -> None:
    assert install_command("server").startswith(f"{sys.executable} -m pip install -e '")
    assert install_command("server").endswith("[server]'")
