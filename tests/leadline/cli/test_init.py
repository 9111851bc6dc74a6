"""`leadline init`: asks, tries out, and writes `.env`, readable by its owner only; nothing is changed without a word."""

import os
import pty
import re
import select
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from dotenv import dotenv_values

from leadline.setup.search_setup import offers
from tests.fakes.anthropic_server import anthropic_server
from tests.fakes.forked import Command
from tests.fakes.ollama_server import ollama_server
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.search_services.forms import FORMS
from tests.fakes.search_services.served import served
from tests.fakes.search_services.twin import KEY, twin
from tests.leadline.conftest import Leadline

ENV = Path(".env")


def private() -> bool:
    return stat.S_IMODE(ENV.stat().st_mode) == 0o600


def test_without_a_terminal_options_say_it_and_the_key_comes_from_the_environment(
    leadline: Leadline, endpoint: OpenAIServer
) -> None:
    ran = leadline("init", "--endpoint", endpoint.base_url, "--model", "m-1", "--search", "duckduckgo", code=0)
    assert len(endpoint.requests) == 1, "one tiny call tries it out"
    assert dotenv_values(ENV) == {
        "OPENAI_API_KEY": endpoint.key,
        "OPENAI_BASE_URL": endpoint.base_url,
        "LEADLINE_MODEL": "m-1",
        "LEADLINE_SEARCH": "duckduckgo",
    }
    assert private()
    assert endpoint.key not in ran.out + ran.err


def test_what_does_not_answer_is_not_written(leadline: Leadline, endpoint: OpenAIServer) -> None:
    address, endpoint.key = endpoint.base_url, "another"
    ran = leadline("init", "--endpoint", address, "--model", "m-1", code=1)
    assert "key" in ran.err
    assert not ENV.exists()
    assert leadline("init", "--endpoint", address, "--model", "m-1", "--no-check").code == 0


def test_what_stands_there_is_changed_only_with_force_and_the_rest_stays(leadline: Leadline) -> None:
    ENV.write_text("# mine\nLEADLINE_MODEL=old\nOTHER='a b'\n")
    ENV.chmod(0o644)
    options = ["--endpoint", "http://127.0.0.1:9/v1", "--model", "new", "--no-check"]
    refused = leadline("init", *options, code=2)
    assert "LEADLINE_MODEL" in refused.err
    assert ENV.read_text() == "# mine\nLEADLINE_MODEL=old\nOTHER='a b'\n"
    assert leadline("init", *options, "--force").code == 0
    assert ENV.read_text().startswith("# mine\nLEADLINE_MODEL=new\nOTHER='a b'\n")
    assert private()
    assert "nothing was changed" in leadline("init", *options).err


def test_no_model_turns_off_the_one_that_was_connected(leadline: Leadline) -> None:
    assert "Nothing was to be set" in leadline("init", "--provider", "none").err
    ENV.write_text("OPENAI_BASE_URL=http://127.0.0.1:9/v1\nLEADLINE_MODEL=m-1\n")
    assert leadline("init", "--provider", "none").code == 2
    assert leadline("init", "--search", "duckduckgo", "--no-check").code == 0
    assert dotenv_values(ENV)["LEADLINE_MODEL"] == "m-1"
    assert leadline("init", "--provider", "none", "--force").code == 0
    assert dotenv_values(ENV) == {
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "LEADLINE_MODEL": "offline",
        "LEADLINE_SEARCH": "duckduckgo",
    }


def test_a_search_with_a_key_or_an_address_is_tried_and_one_of_those_that_auto_asks(
    leadline: Leadline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(tmp_path, "brave") as twins, twin(FORMS["searxng"]) as searxng:
        monkeypatch.setenv("BRAVE_API_KEY", "wrong-key")
        refused = leadline("init", "--search", "brave")
        assert (refused.code, ENV.exists()) == (1, False)
        assert "Check BRAVE_API_KEY" in refused.err
        monkeypatch.setenv("BRAVE_API_KEY", KEY)
        assert leadline("init", "--search", "brave").code == 0
        assert dotenv_values(ENV) == {"LEADLINE_SEARCH": "auto", "BRAVE_API_KEY": KEY}
        monkeypatch.setenv("SEARXNG_URL", searxng.address)
        assert leadline("init", "--search", "brave+searxng", "--force").code == 0
        assert dotenv_values(ENV)["LEADLINE_SEARCH"] == "brave+searxng"
        assert (len(twins["brave"].asked), len(searxng.asked)) == (3, 1)


def test_a_search_that_lacks_its_key_or_is_unknown_says_what_to_do(leadline: Leadline) -> None:
    for search, words in (
        ("exa", "Put it into the environment variable EXA_API_KEY"),
        ("searxng", "use the environment variable SEARXNG_URL"),
        ("breve", "There is no search 'breve'. There are: auto, "),
    ):
        ran = leadline("init", "--search", search, code=2)
        assert words in ran.err
    assert not ENV.exists()


def test_the_searches_that_are_offered_are_those_of_the_records(tmp_path: Path) -> None:
    with served(tmp_path, "openalex", "crossref", "arxiv", "europepmc"):
        assert offers() == {
            "tavily": "Tavily (needs a key)",
            "searxng": "SearXNG (needs its address)",
            "brave": "Brave Search (needs a key)",
            "exa": "Exa (needs a key)",
            "serper": "Serper (needs a key)",
            "duckduckgo": "DuckDuckGo (no key)",
            "openalex+arxiv": "Only papers: OpenAlex and arXiv (no key)",
            "documents": "None: only my documents",
        }


def test_folders_of_documents_are_written_as_whole_paths(leadline: Leadline, docs: Path) -> None:
    assert leadline("init", "--docs", docs, "--provider", "none").code == 0
    assert dotenv_values(ENV) == {"LEADLINE_DOCS": str(docs)}


def test_an_unwritable_folder_is_named(leadline: Leadline) -> None:
    ENV.mkdir()
    ran = leadline("init", "--search", "duckduckgo", code=1)
    assert "cannot be" in ran.err


def test_the_natural_model_is_taken_where_nobody_names_one_and_nobody_is_asked(
    leadline: Leadline, endpoint: OpenAIServer
) -> None:
    endpoint.models = ["text-embedding-3-small", "m-1"]
    ran = leadline("init", "--endpoint", endpoint.base_url, code=0)
    assert "Model: m-1, from 1 that the endpoint offers." in ran.err
    assert dotenv_values(ENV)["LEADLINE_MODEL"] == "m-1"


def test_a_model_that_nobody_names_and_no_list_holds_is_asked_for_by_its_option(
    leadline: Leadline, endpoint: OpenAIServer
) -> None:
    ran = leadline("init", "--endpoint", endpoint.base_url, code=2)
    assert "Name the model with --model, because no questions can be asked here. The endpoint offers none." in ran.err
    assert not ENV.exists()


def test_ollama_is_connected_at_the_port_that_its_own_variable_names(
    leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ollama_server() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.base_url)
        leadline("init", "--provider", "ollama", code=0)
        assert dotenv_values(ENV) == {"OPENAI_BASE_URL": f"{server.base_url}/v1", "LEADLINE_MODEL": server.model}


def test_a_provider_with_its_own_package_is_connected_and_its_key_is_read_from_the_file(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*arguments: object) -> None:  # in a process of its own, as the integration keeps its connections for ever
        process = Command([*map(str, arguments)])
        _, err = process.communicate(timeout=100)
        assert process.returncode == 0, err

    with anthropic_server() as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.base_url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", server.key)
        run("init", "--provider", "anthropic", "--model", server.model)
        assert dotenv_values(ENV) == {"LEADLINE_MODEL": "anthropic:claude-sonnet-4-6", "ANTHROPIC_API_KEY": server.key}
        assert private()
        monkeypatch.delenv("ANTHROPIC_API_KEY")
        asked = len(server.requests)
        run("research", "Why was tallow used?", "--docs", docs, "--quick")
        assert len(server.requests) > asked


def test_a_model_file_is_named_by_its_path(leadline: Leadline) -> None:
    leadline("init", "--provider", "file", "--model", "/models/m.gguf", "--no-check", code=0)
    assert dotenv_values(ENV) == {"LEADLINE_MODEL": "llamacpp:/models/m.gguf"}


def typed(answers: list[tuple[str, str]]) -> str:
    """Run `leadline init` at a terminal; answer each prompt when it comes, and return all that the terminal showed."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    process = subprocess.Popen(
        ["setsid", "--ctty", sys.executable, "-m", "leadline", "init"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
    )
    os.close(theirs)
    shown, waiting = "", list(answers)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if not select.select([ours], [], [], 1)[0]:
            continue
        try:
            piece = os.read(ours, 4_096)
        except OSError:
            break
        shown += piece.decode()
        if waiting and re.search(waiting[0][0], shown.rpartition("\n")[2]):
            os.write(ours, f"{waiting.pop(0)[1]}\n".encode())
            shown += "\n"
    if waiting:
        process.kill()
    process.wait(timeout=30)
    os.close(ours)
    assert not waiting, shown
    return shown


def test_a_person_is_asked_and_the_key_is_not_shown(endpoint: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL")
    endpoint.models = ["m-1", "m-2", "rerank-3"]
    ENV.write_text("LEADLINE_MODEL=old\n")
    answers = [
        (r"Number \[\d+\]: ?$", "other"),
        (r"Address of the endpoint.*: ?$", endpoint.base_url),
        (r"Key for .*: $", endpoint.key),  # the blank comes once nothing that is typed is shown
        (r"Model, by number or name \[m-1\]: ?$", "2"),
        (r"Number \[7\]: ?$", "9"),
        (r"Number \[7\]: ?$", "duckduckgo"),
        (r"Folder of your documents.*: ?$", ""),
        (r"Overwrite\? \[y/N\]: ?$", "y"),
    ]
    shown = typed(answers)
    assert "It answers" in shown
    assert endpoint.key not in shown
    assert dotenv_values(ENV) == {
        "LEADLINE_MODEL": "m-2",
        "OPENAI_API_KEY": endpoint.key,
        "OPENAI_BASE_URL": endpoint.base_url,
        "LEADLINE_SEARCH": "duckduckgo",
    }
    assert private()


def test_an_endpoint_that_is_not_reached_is_no_matter_of_a_run_that_could_be_continued(leadline: Leadline) -> None:
    ran = leadline("init", "--endpoint", "http://127.0.0.1:9/v1", "--model", "m-1", code=1)
    assert "could not be reached. Check OPENAI_BASE_URL and the network. It said" in ran.err
