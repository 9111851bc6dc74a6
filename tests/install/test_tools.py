"""Leadline from its wheel by uv and pipx, as the guide to installing says: they want the network, so `make test-wheel` alone runs this."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.install.conftest import Installed, called, needs_network
from tests.install.test_wheel import QUESTION, researched_on_its_page
from tests.leadline.server.test_launch import port as port  # noqa: PLC0414 - a fixture

pytestmark = [pytest.mark.timeout(600), needs_network]

BIN = Path(sys.executable).parent
FILES = {"report.md", "report.html", "slides.html", "report.pptx", "report.docx", "report.pdf", "evidence.json"}


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give uv and pipx a folder of their own for what they install."""
    monkeypatch.setenv("UV_TOOL_DIR", str(tmp_path / "tools"))
    monkeypatch.setenv("UV_TOOL_BIN_DIR", str(tmp_path / "bin"))
    monkeypatch.setenv("PIPX_HOME", str(tmp_path / "pipx"))
    monkeypatch.setenv("PIPX_BIN_DIR", str(tmp_path / "bin"))
    monkeypatch.setenv("PIPX_MAN_DIR", str(tmp_path / "man"))
    return tmp_path


def test_with_all_extras_it_makes_every_format_and_serves(
    installed: Installed, tools: Path, port: int, docs: Path
) -> None:
    called(BIN / "uv", "tool", "install", "--python", sys.executable, f"leadline[all] @ {installed.wheel.as_uri()}")
    tool = Installed(installed.wheel, tools / "tools" / "leadline")
    tool.run("leadline", "research", QUESTION, "--docs", docs, "--format", "md,html,slides,pptx,docx,pdf")
    [folder] = Path("out").iterdir()
    assert {one.name for one in folder.iterdir()} >= FILES
    tool.run("leadline", "verify", folder)
    researched_on_its_page(tool, port, docs)
    called(BIN / "uv", "tool", "uninstall", "leadline")
    assert not (tools / "bin" / "leadline").exists()


def test_uvx_runs_it_without_installing_it(installed: Installed, tools: Path, docs: Path) -> None:
    uvx = (BIN / "uvx", "--python", sys.executable, "--from", installed.wheel)
    assert "William Thomson" in called(*uvx, "leadline", "research", QUESTION, "--docs", docs, cwd=tools)


def test_what_a_pipx_installation_lacks_is_installed_by_the_command_that_it_names(
    installed: Installed, tools: Path, docs: Path
) -> None:
    called(BIN / "pipx", "install", "--python", sys.executable, installed.wheel)
    leadline = tools / "bin" / "leadline"
    research = [str(leadline), "research", QUESTION, "--docs", str(docs), "--format", "docx"]
    lacking = subprocess.run(research, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    [command] = re.findall(r"Install it with: (pipx .+)", lacking.stderr)
    assert command == "pipx runpip leadline install 'leadline[formats]'"
    called(*shlex.split(command), PATH=f"{BIN}{os.pathsep}{os.environ['PATH']}")
    subprocess.run(research, capture_output=True, text=True, check=True)
    assert [*Path("out").glob("*/report.docx")]
    called(BIN / "pipx", "uninstall", "leadline")
    assert not leadline.exists()
    assert Path(".leadline").is_dir() or os.environ.get("LEADLINE_HOME")  # runs are the user's
