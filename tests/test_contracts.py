"""The house rules that a reader relies on: stems, directions of imports, the picture, the types in a checkpoint."""

import ast
import importlib
import json
import re
from pathlib import Path

import pytest
import yaml
from jinja2 import meta

from graph.app import graph
from graph.builder import build_graph
from graph.machine import DESCRIPTIONS
from leadline.runs.persistence import ALLOWED_TYPES
from leadline.server.launch import CONFIGURATION
from prompts import BUILT_IN, ENVIRONMENT, template_source
from schemas.context import RunContext
from tests.conftest import PROJECT

ROLES = ["coordinator", "planner", "researcher", "coder", "reflector", "reporter"]
TEMPLATES = [
    *ROLES,
    "reporter_section",
    "reporter_joining",
    "reporter_wording",
    "reporter_editing",
    "reporter_sentences",
    "reporter_slides",
    "verifier",
]
"""A node that makes several calls has a template for each, which begins with its stem; the verifier works for the reporter."""
LAYERS = ["schemas", "prompts", "services", "nodes", "graph", "leadline"]
MAY_IMPORT = {
    "schemas": {"schemas"},
    "prompts": {"prompts", "schemas"},
    "services": {"services", "prompts", "schemas"},
    "nodes": {"nodes", "services", "prompts", "schemas"},
    "graph": {"graph", "nodes", "services", "prompts", "schemas"},
    "leadline": set(LAYERS),
}


@pytest.mark.parametrize("role", ROLES)
def test_node_template_and_schema_share_a_stem(role: str) -> None:
    assert (PROJECT / "nodes" / f"{role}.py").exists()
    assert (PROJECT / "prompts" / f"{role}.md").exists()
    assert (PROJECT / "schemas" / f"{role}.py").exists()


@pytest.mark.parametrize("stem", TEMPLATES)
def test_a_template_takes_exactly_the_fields_of_its_prompt_model(stem: str) -> None:
    words = "".join(word.capitalize() for word in stem.split("_"))
    model = getattr(importlib.import_module(f"schemas.{stem}"), f"{words}Prompt")
    wanted = meta.find_undeclared_variables(ENVIRONMENT.parse(template_source(stem)))
    assert wanted == {*model.model_fields, *model.model_computed_fields}


@pytest.mark.parametrize("stem", TEMPLATES)
def test_a_template_says_its_version_and_what_changed_last(stem: str) -> None:
    front = yaml.safe_load(BUILT_IN.sources[f"{stem}.md"].split("---\n")[1])
    assert front["version"] >= len(front["changelog"])
    assert front["changelog"][-1].startswith(f"{front['version']}: ")


def test_every_template_belongs_to_a_node() -> None:
    assert {path.stem for path in (PROJECT / "prompts").glob("*.md")} == set(TEMPLATES)


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_point_one_way(layer: str) -> None:
    for path in (PROJECT / layer).rglob("*.py"):
        imported = {
            name.split(".")[0] for node in ast.walk(ast.parse(path.read_text("utf-8"))) for name in _names(node)
        }
        assert imported & set(LAYERS) <= MAY_IMPORT[layer], path


def _names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        return [node.module]
    return []


def test_the_picture_in_the_guide_is_that_of_the_compiled_graph() -> None:
    drawn = graph.get_graph().draw_mermaid(with_styles=False).strip()
    assert drawn in (PROJECT / "docs/architecture.md").read_text("utf-8")
    assert "description" not in graph.get_graph().draw_mermaid()


def test_every_node_is_described_and_the_guide_says_the_same() -> None:
    assert [*DESCRIPTIONS] == [*build_graph().nodes]
    guide = (PROJECT / "docs/architecture.md").read_text("utf-8")
    for node, does in DESCRIPTIONS.items():
        assert f"| `{node}` | {does} |" in guide


def test_the_graph_is_compiled_without_checkpointer_and_store() -> None:
    assert graph.checkpointer is None
    assert graph.store is None
    configured = json.loads((PROJECT / "langgraph.json").read_text())
    assert configured["graphs"]["deep_research"]["path"] == "graph.app:graph"
    assert configured == CONFIGURATION, "leadline serve serves what langgraph.json says"


def test_a_checkpoint_may_hold_the_types_of_the_state_and_no_other_of_ours() -> None:
    assert {("schemas.planner", "Step"), ("schemas.outline", "OutlineNode")} < set(ALLOWED_TYPES)
    assert not {"Profile", "Document", "McpServer"} & {name for _, name in ALLOWED_TYPES}


def test_every_choice_of_a_run_is_described_bounded_and_optional() -> None:
    for name, field in RunContext.model_fields.items():
        assert field.description, name
        assert not field.is_required(), name
        if field.annotation is int:
            assert field.metadata, f"{name} has no bounds"


def test_the_tree_names_no_path_of_a_machine_and_no_registry() -> None:
    suffixes = {".py", ".md", ".toml", ".json", ".lock", ".ipynb", ".yaml"}
    environments = {".venv", ".venv-sandbox", ".venv-aegra", ".venv-plain"}
    skipped = environments | {".git", "out", ".leadline", "examples", ".langgraph_api"}
    for path in PROJECT.rglob("*"):
        if path.suffix in suffixes and not skipped & set(path.relative_to(PROJECT).parts) and path != Path(__file__):
            text = path.read_text("utf-8")
            assert not re.search(r"(?:^|[^\w.-])/(?:work|farm)/", text), path
            assert "/simple/" not in text, path
