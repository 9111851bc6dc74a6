"""Prompt folders: other versions of some templates, scoped, and refused with a clear message where they cannot work."""

import asyncio
from pathlib import Path

import pytest

from prompts import BUILT_IN, PromptError, attribute, load_prompts, prompt_version, render, template_source, using
from schemas.coordinator import CoordinatorPrompt

TEMPLATE = """---
version: 2
changelog:
  - "1: first version"
  - "2: shorter"
---
{% block system %}
SHORT in {{ locale }}.
{% endblock %}
{% block human %}
<question>
{{ question }}
</question>
{% endblock %}
"""
PROMPT = CoordinatorPrompt(question="How deep?", conversation=[], profile=None, locale="auto")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "shorter"
    folder.mkdir()
    (folder / "coordinator.md").write_text(TEMPLATE)
    return folder


def _system() -> str:
    return render("coordinator", PROMPT)[0].text


def test_a_folder_replaces_only_the_templates_that_it_holds(folder: Path) -> None:
    built_in = template_source("planner")
    with using(load_prompts(folder)):
        assert _system() == "SHORT in auto."
        assert prompt_version("coordinator") == 2
        assert template_source("planner") == built_in


def test_after_the_block_the_built_in_prompts_are_back(folder: Path) -> None:
    before = _system(), prompt_version("coordinator")
    with using(load_prompts(folder)):
        assert _system() != before[0]
    assert (_system(), prompt_version("coordinator")) == before


def test_a_folder_is_read_once(folder: Path) -> None:
    prompts = load_prompts(folder)
    (folder / "coordinator.md").unlink()
    with using(prompts):
        assert _system() == "SHORT in auto."


async def test_tasks_started_in_the_block_use_its_prompts_and_others_do_not(folder: Path) -> None:
    async def ask() -> str:
        await asyncio.sleep(0)
        return await asyncio.to_thread(_system)

    outside = asyncio.create_task(ask())
    with using(load_prompts(folder)):
        inside = asyncio.create_task(ask())
    assert await inside == "SHORT in auto."
    assert "SHORT" not in await outside


def test_a_partial_can_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "_partials").mkdir()
    (tmp_path / "_partials" / "data.md").write_text("TRUST NOTHING.\n")
    with using(load_prompts(tmp_path)):
        assert "TRUST NOTHING." in _system()


def test_a_readme_and_hidden_files_are_left_alone(folder: Path) -> None:
    (folder / "README.md").write_text("# About these prompts")
    (folder / ".old").mkdir()
    (folder / ".old" / "coordinator.md").write_text("whatever")
    assert load_prompts(folder).sources.keys() == BUILT_IN.sources.keys()


WRONG = {
    "an unknown variable": ("coordinator.md", TEMPLATE.replace("{{ locale }}", "{{ weather }}"), "'weather'"),
    "no front matter": ("coordinator.md", TEMPLATE.split("---\n")[2], "no front matter"),
    "front matter that is no YAML": ("coordinator.md", TEMPLATE.replace("version: 2", "version: [2"), "not valid YAML"),
    "a version that is none": ("coordinator.md", TEMPLATE.replace("version: 2", "version: new"), "'new'"),
    "a missing block": ("coordinator.md", TEMPLATE.replace("block human", "block humane"), "no block 'human'"),
    "a block that does not end": ("coordinator.md", TEMPLATE.replace("{% endblock %}", "", 1), "line"),
    "an unknown filter": ("coordinator.md", TEMPLATE.replace("{{ locale }}", "{{ locale | loud }}"), "loud"),
    "an include of nothing": (
        "coordinator.md",
        TEMPLATE.replace("SHORT", '{% include "_partials/no.md" %}'),
        "_partials/no.md",
    ),
    "a name of no template": ("planer.md", TEMPLATE, "planner.md"),
    "a partial that takes more": ("_partials/data.md", "{{ more }}", "'more'"),
}


@pytest.mark.parametrize(("name", "text", "message"), WRONG.values(), ids=WRONG.keys())
def test_what_would_fail_in_a_run_is_refused_before(tmp_path: Path, name: str, text: str, message: str) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    with pytest.raises(PromptError) as caught:
        load_prompts(tmp_path)
    assert message in str(caught.value)
    assert str(file) in str(caught.value)


def test_the_line_of_a_mistake_is_that_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "coordinator.md").write_text(TEMPLATE.replace("SHORT", "{{ }}"))
    with pytest.raises(PromptError, match="line 8"):
        load_prompts(tmp_path)


def test_a_missing_an_empty_and_a_wrong_folder_are_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "empty").mkdir()
    for name, message in {"nowhere": "does not exist", "file": "is a file", "empty": "holds no templates"}.items():
        with pytest.raises(PromptError, match=message):
            load_prompts(tmp_path / name)


def test_quotes_in_an_attribute_are_those_of_code() -> None:
    assert attribute('resolver = "3"\n# newest') == "resolver = '3' # newest"
