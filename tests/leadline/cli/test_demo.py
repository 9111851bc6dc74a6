"""The recorded run: it asks no model, its report verifies, and one changed word is found."""

import re
import signal
import subprocess
import sys
from pathlib import Path

from tests.leadline.conftest import Leadline
from tests.leadline.progress.pseudo_terminal import in_terminal, plain


def test_the_recording_is_played_and_its_report_verifies_until_a_word_is_changed(
    leadline: Leadline, tmp_path: Path
) -> None:
    ran = leadline("demo", "--seconds", "0", "--out", tmp_path / "out", code=0)
    assert ran.err.startswith("A recording of ")
    assert "Step 1: All measurements of the Challenger Deep" in ran.err
    assert "no model was called" in ran.err
    assert "  check it: leadline verify " in ran.err
    [folder] = (tmp_path / "out").iterdir()
    written = folder / "report.md"
    assert ran.out.strip() == written.read_text("utf-8").strip()
    assert leadline("verify", folder).code == 0
    text = written.read_text("utf-8")
    written.write_text(text.replace("undocumented correction", "documented correction", 1), "utf-8")
    changed = leadline("verify", folder, code=1)
    assert "report.md does not say it" in changed.err


def test_in_a_terminal_its_report_is_laid_out_as_every_report(tmp_path: Path) -> None:
    shown = plain(in_terminal(["demo", "--seconds", "0", "--out", str(tmp_path / "out")], 80, piped=False)[1])
    assert "](sources/" not in shown
    assert re.search(r"│? *10,984 ± 25 ", shown)


def test_an_interrupted_recording_is_played_again_and_nothing_is_resumed(tmp_path: Path) -> None:
    command = [sys.executable, "-u", "-m", "leadline.cli.app", "demo", "--out", str(tmp_path)]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background of a script children inherit none
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        next(line for line in child.stderr if "Step 1" in line)
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=30)[1].splitlines()[-1].startswith("Interrupted. Play it again with: ")
    assert child.returncode == 130
