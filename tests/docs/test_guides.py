"""The guides are true: their commands are run, their Python too, and the links between them lead somewhere."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from leadline.cli.app import app
from leadline.evaluation.question_set import read_set
from services.models.endpoint import forget_endpoints
from services.run.roles import DEFAULTS
from services.run.settings import forget_settings
from tests.conftest import PROJECT
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.tavily_server import page, tavily_server
from tests.leadline.conftest import Leadline, leadline

__all__ = ["leadline"]

GUIDES = [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]
SERVES = re.compile(
    r"^(?:make (?:dev|test|research|notebook)|\S*leadline (?:serve|mcp|init)|\S*langgraph |docker |systemctl |sudo |psql |redis|jq |\S*pip |\S*python -m pip )"
)
"""What goes on until it is stopped, asks, installs, or belongs to another machine; tests of their own run those that are ours."""
ELSEWHERE = {"README", "server"}
"""Guides whose commands other tests run: `test_new_user.py`, `tests/deploy` and `tests/server`."""
PLACEHOLDER = re.compile(r"…|<\w+>|papers|questions\.jsonl")
"""In lines that show an option: their options are looked up instead."""
OURS = re.compile(r"\.venv/bin/leadline (runs [a-z]+|\w+)([^#|]*)")


def _commands(guide: Path) -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", guide.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines() if line.strip() and not line.startswith("#")]


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory, example_indexes: Path) -> Path:
    """Return the home of all guides, in which the examples were read."""
    home = tmp_path_factory.mktemp("home")
    (home / "documents").symlink_to(example_indexes)
    return home


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, endpoint: OpenAIServer, home: Path) -> Iterator[dict[str, str]]:
    """A checkout to run commands in, and what stands in for the world's endpoints."""
    monkeypatch.setenv("LEADLINE_HOME", str(home))
    for name in (".venv", ".venv-sandbox", "examples", "prompts", "docs"):
        if (PROJECT / name).exists():
            Path(name).symlink_to(PROJECT / name)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name)
    found = page("https://example.org/geosat", "Geosat", "Geosat, a navy satellite, flew from 1985 to 1990.")
    with tavily_server(found) as web:
        monkeypatch.setenv("TAVILY_BASE_URL", web.base_url)
        yield {"https://api.deepseek.com/v1": endpoint.base_url, "sk-…": endpoint.key, "tvly-…": web.key}


@pytest.mark.parametrize(
    "guide", [one for one in GUIDES if _commands(one) and one.stem not in ELSEWHERE], ids=lambda one: one.stem
)
@pytest.mark.timeout(300)
def test_the_commands_of_a_guide_work(
    guide: Path, world: dict[str, str], leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    for line in _commands(guide):
        for outside, here in world.items():
            line = line.replace(outside, here)  # noqa: PLW2901 - the same line, as it can be run here
        if not SERVES.match(line) and not PLACEHOLDER.search(line):
            _run(line, leadline, monkeypatch)


def _run(line: str, leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a line of a guide: a command of ours in this process, and what only a shell can run in one."""
    words = shlex.split(line, comments=True)
    if words[0] == "export":
        monkeypatch.setenv(*words[1].split("=", 1))
        return
    if ".venv/bin/leadline" not in words or re.search(" [>|]|&&", line):
        ran = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=280, check=False)
        assert ran.returncode == 0, f"{line}: {ran.stderr[-1500:]}"
        return
    place = words.index(".venv/bin/leadline")
    with pytest.MonkeyPatch.context() as only_here:
        for variable in words[:place]:
            only_here.setenv(*variable.split("=", 1))
        forget_settings()
        forget_endpoints()
        done = leadline(*(found for word in words[place + 1 :] for found in _as_a_shell_does(word)))
    assert (done.code, "Traceback" in done.err) == (0, False), f"{line}: {done.err[-1500:]}"


def _as_a_shell_does(word: str) -> list[str]:
    """Return the names of files that a word stands for, or the word."""
    return [str(path) for path in Path().glob(word)] if "*" in word else [word]


def test_extras_that_are_to_be_installed_exist() -> None:
    known = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    for guide in GUIDES:
        for extras in re.findall(r"pip install -e ['\"]\.\[([\w,-]+)\]", guide.read_text("utf-8")):
            assert set(extras.split(",")) <= set(known), guide


def _options(command: str) -> set[str]:
    ran = CliRunner().invoke(app, [*command.split(), "--help"], env={"COLUMNS": "200"})
    assert ran.exit_code == 0, f"leadline {command}: {ran.output}"
    if "--help-all" in ran.output:
        ran = CliRunner().invoke(app, [*command.split(), "--help-all"], env={"COLUMNS": "200"})
    return set(re.findall(r"(?<![\w-])--[\w-]+", ran.output))


def test_every_option_that_a_guide_shows_is_one() -> None:
    shown: dict[str, set[str]] = {}
    for guide in GUIDES:
        for line in _commands(guide):
            for command, rest in OURS.findall(line):
                shown.setdefault(command, set()).update(re.findall(r"(?<![\w-])--[\w-]+", rest))
    assert shown
    for command, options in shown.items():
        assert options <= _options(command), command


def test_the_files_that_a_guide_names_are_there() -> None:
    for guide in GUIDES:
        for name in re.findall(
            r"`((?:tests|services|leadline|nodes|graph|schemas)/[\w/.-]+)`", guide.read_text("utf-8")
        ):
            assert (PROJECT / name).exists(), f"{guide.name}: {name}"


def test_the_defaults_of_the_roles_are_those_of_the_code() -> None:
    told = " ".join((PROJECT / "docs/models.md").read_text("utf-8").split())
    for role, (temperature, tokens) in DEFAULTS.items():
        assert f"{role} {temperature:g} / {tokens}" in told


def test_the_set_that_the_guide_shows_can_be_read(tmp_path: Path) -> None:
    [shown] = re.findall(r"```json\n(.*?)```", (PROJECT / "docs/evaluation.md").read_text("utf-8"), re.DOTALL)
    (tmp_path / "set.json").write_text(shown)
    assert read_set(tmp_path / "set.json")[0].criteria


def test_the_fields_of_the_evidence_are_where_the_guide_says() -> None:
    told = (PROJECT / "docs/reports.md").read_text("utf-8")
    defined = json.loads((PROJECT / "docs/evidence.schema.json").read_text("utf-8"))["$defs"]
    for kind, form in (("claim", "Claim"), ("excerpt", "BundledExcerpt"), ("source", "BundledSource")):
        [fields] = re.findall(rf"each {kind}: ([^;\n]+)", told)
        assert set(re.findall(r"`(\w+)`", fields)) <= set(defined[form]["properties"]), kind


def _places(guide: Path) -> set[str]:
    """The names that links give to the headings of a guide."""
    headings = re.findall(
        r"^#+ (.*)", re.sub(r"^```.*?^```", "", guide.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE), re.MULTILINE
    )
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("guide", GUIDES, ids=lambda one: one.stem)
def test_links_lead_somewhere(guide: Path) -> None:
    for file, place in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", guide.read_text("utf-8")):
        target = guide.parent / file if file else guide
        assert target.exists(), file
        assert not place or place in _places(target), f"{file}#{place}"


def test_the_python_of_the_guide_to_the_architecture_runs(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_HOME", str(home))
    [code] = re.findall(
        r"^```python\n(.*?)^```", (PROJECT / "docs/architecture.md").read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    Path("examples").symlink_to(PROJECT / "examples")
    asked = [sys.executable, "-c", code]
    ran = subprocess.run(asked, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == "CLOSEST PASSAGES: WHEN DID GEOSAT FLY?!"
