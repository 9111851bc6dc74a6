"""Leadline from its wheel: everything that it reads is in it, and it researches, verifies, examines itself and serves."""

import json
import os
import subprocess
import zipfile
from pathlib import Path
from subprocess import PIPE

import httpx
import pytest

from tests.conftest import EXAMPLES, PROJECT
from tests.crash.previous import lay_out_papers, unpack
from tests.fakes.openai_server import OpenAIServer
from tests.install.conftest import Installed, Python, needs_network
from tests.leadline.server.test_launch import port as port  # noqa: PLC0414 - a fixture

pytestmark = [pytest.mark.timeout(600), needs_network]  # an empty environment takes a minute or two to fill

PACKAGES = ("graph", "nodes", "prompts", "schemas", "services", "leadline")
QUESTION = "Who designed the wire sounding machine?"


def _files(folder: Path) -> set[str]:
    return {
        str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file() and "__pycache__" not in one.parts
    }


def test_every_file_of_the_packages_and_every_example_is_in_it(installed: Installed) -> None:
    names = set(zipfile.ZipFile(installed.wheel).namelist())
    own = {f"{package}/{name}" for package in PACKAGES for name in _files(PROJECT / package)}
    examples = {f"leadline/examples/{name}" for name in _files(EXAMPLES)}
    assert (own | examples) - names == set()
    assert {name.partition("/")[0] for name in names if ".dist-info" not in name} == set(PACKAGES)


def test_it_researches_and_verifies_without_the_project(installed: Installed, python: Python, docs: Path) -> None:
    places = python(f"import {', '.join(PACKAGES)}; print(*(one.__path__[0] for one in [{', '.join(PACKAGES)}]))")
    assert [one.startswith(str(installed.folder)) for one in places.split()] == [True] * len(PACKAGES)
    ran = installed.run("leadline", "research", QUESTION, "--docs", docs, "--format", "md,html")
    assert "William Thomson" in ran.stdout
    [folder] = Path("out").iterdir()
    assert {"report.md", "report.html", "evidence.json"} <= {one.name for one in folder.iterdir()}
    installed.run("leadline", "verify", folder)
    installed.run("leadline", "runs", "show", "--calls")


def test_without_documents_it_searches_the_examples_that_came_with_it(python: Python, installed: Installed) -> None:
    folders = json.loads(
        python(
            "import json; from services.search.providers import EXAMPLE_FOLDERS as all;"
            "print(json.dumps({str(one): len(list(one.iterdir())) for one in all}))"
        )
    )
    assert len(folders) == 2
    for folder, documents in folders.items():
        assert folder.startswith(str(installed.folder))
        assert documents >= 20


def test_the_doctor_finds_it_whole_and_names_no_folder_of_the_project(installed: Installed) -> None:
    said = installed.run("leadline", "doctor", "--json").stdout
    found = {(one["area"], one["name"]): one for one in json.loads(said)}
    assert [one for one in found.values() if one["state"] == "broken"] == []
    assert found["parsers", "files and pages"]["found"] == "in a locked-in process"
    assert {"server", "mcp", "pdf", "vectors"} <= {name for area, name in found if area == "extras"}
    for one in found.values():
        assert str(PROJECT) not in one["remedy"]
        assert "make setup" not in one["remedy"]
        if one["area"] == "extras" and one["remedy"]:
            assert one["remedy"].endswith(f"-m pip install 'leadline[{one['name']}]'")


def test_it_goes_on_with_a_run_that_the_release_before_left_half_done(
    installed: Installed, endpoint: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_HOME", "home")
    monkeypatch.setenv("LEADLINE_MODEL", "test-model")
    unpack(Path("home"))
    lay_out_papers(Path("papers"))
    assert "William Thomson" in installed.run("leadline", "resume").stdout
    assert endpoint.roles


def test_it_names_what_serving_lacks(installed: Installed, port: int) -> None:
    ran = installed.run("leadline", "serve", "--no-open", "--port", port, code=1)
    assert "pip install 'leadline[server]'" in ran.stderr


def researched_on_its_page(installed: Installed, port: int, docs: Path) -> None:
    """Serve, research over the API, and stop."""
    command = [str(installed.folder / "bin" / "leadline"), "serve", "--no-open", "--port", str(port)]
    with subprocess.Popen(command, env={**os.environ, "LEADLINE_DOCS": str(docs)}, stderr=PIPE, text=True) as process:
        try:
            assert process.stderr
            assert any("Leadline is at" in line for line in process.stderr), "it did not start"
            _used(f"http://127.0.0.1:{port}")
        finally:
            process.terminate()
        assert process.wait(60) == 0


def _used(address: str) -> None:
    """Load the page, and research as it does."""
    with httpx.Client(base_url=address, timeout=60) as http:
        for path in ("/", "/page/app.js", "/page/report.css", "/page/tokens.css", "/page/beginning.json"):
            assert http.get(path).status_code == 200, path
        thread = http.post("/threads", json={}).json()["thread_id"]
        asked = {"assistant_id": "deep_research", "input": {"question": QUESTION}}
        state = http.post(f"/threads/{thread}/runs/wait", json=asked).json()
        assert "William Thomson" in state["report"]["markdown"]
        assert "<html" in http.get(f"/reports/{thread}/report.html").text
