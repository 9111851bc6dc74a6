"""Hints name a command that runs as it is typed, wherever the program lies."""

import sys
from pathlib import Path

import pytest

from leadline.progress.terminal import argument, as_typed


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the program in an environment that no shell looks into, which a person has called."""
    place = tmp_path / "clone" / ".venv" / "bin" / "leadline"
    place.parent.mkdir(parents=True)
    place.touch(0o755)
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.delenv("UV", raising=False)
    monkeypatch.setattr(sys, "argv", [str(place), "runs"])
    return place


def test_a_program_in_a_clone_is_named_by_its_path(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(script.parents[2])
    assert as_typed("Continue with: leadline resume") == "Continue with: .venv/bin/leadline resume"
    monkeypatch.chdir(script.parent)
    assert as_typed("`leadline runs` lists all runs.") == "`./leadline runs` lists all runs."
    monkeypatch.chdir("/")
    monkeypatch.setattr(sys, "argv", [str(script.relative_to("/"))])
    assert as_typed("leadline init") == f"{script.relative_to('/')} init"


def test_a_program_elsewhere_is_named_by_its_whole_path(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert as_typed("leadline init") == f"{script} init"
    assert argument("my reports/a") == '"my reports/a"'


def test_a_program_on_the_path_is_named_by_its_name(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(script.parent))
    assert as_typed("leadline init") == "leadline init"
    monkeypatch.setenv(
        "UV", "/usr/bin/uv"
    )  # as `uvx --from … leadline` sets it, with a PATH that the shell does not have
    assert as_typed("leadline init") == f"{script} init"


def test_only_commands_are_hints(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(script.parents[2])
    for text in (
        "leadline: There is no run",
        ".venv/bin/leadline init",
        "pip install 'leadline[serve]'",
        "pipx runpip leadline install 'leadline[serve]'",
    ):
        assert as_typed(text) == text


def test_errors_help_and_the_doctor_name_it_so(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from leadline.cli import app

    monkeypatch.chdir(script.parents[2])
    for arguments, hint in (
        (["resume"], "`.venv/bin/leadline runs` lists all runs"),
        (["runs", "show", "--bad"], "Try '.venv/bin/leadline runs show -h'"),
        (["doctor"], "Every check: .venv/bin/leadline doctor --all"),
    ):
        monkeypatch.setattr(sys, "argv", [str(script), *arguments])
        with pytest.raises(SystemExit):
            app.main()
        assert hint in "".join(capsys.readouterr()), arguments
