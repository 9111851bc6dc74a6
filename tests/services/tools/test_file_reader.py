"""The tool `file_reader`: what it says about tables, JSON, texts and documents."""

import json
import os
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx
from langchain_core.tools import BaseTool
from pydantic import ValidationError

from schemas.context import RunContext
from services.run.errors import FileError
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.run.settings import forget_settings
from services.search.providers import allow_folders
from services.tools.file_reader import FileReader, file_reader
from tests.services.tools.conftest import output


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    monkeypatch.setenv("LEADLINE_DOCS", str(folder))
    forget_settings()
    return folder


@pytest.fixture
def tool(run: Run, evidence: EvidenceStore) -> BaseTool:
    return file_reader(run, evidence)


async def test_a_table_comes_with_its_columns_rows_and_encoding(folder: Path, tool: BaseTool) -> None:
    (folder / "soundings.csv").write_text("ship,year,depth\nVema,1957,9000\nKaikō,1995,\n")
    found = await output(tool, path="soundings.csv")
    assert found.text.splitlines()[1:] == [
        "Encoding: utf-8, separated by comma",
        "- ship: text, e.g. Vema | Kaikō",
        "- year: number, 1957 to 1995",
        "- depth: number, 9000 to 9000, 1 missing",
        "",
        "2 rows, all there are.",
        "Columns: ship (text), year (number), depth (number)",
        "",
        "| ship | year | depth |",
        "| --- | --- | --- |",
        "| Vema | 1957 | 9000 |",
        "| Kaikō | 1995 |  |",
    ]
    assert found.text.startswith("papers/soundings.csv: 44 bytes, changed ")


async def test_a_file_is_a_source_with_the_address_that_searches_give_it(folder: Path, tool: BaseTool) -> None:
    (folder / "deep-sea_notes.txt").write_text("A note.")
    found = await output(tool, path="papers/deep-sea_notes.txt", response_format="full")
    assert (found.kind, found.title, found.url) == ("document", "deep sea notes", "papers/deep-sea_notes.txt")
    assert found.response_format == "full"


@pytest.mark.parametrize("encoding", ["gb18030", "utf-8", "utf-8-sig", "utf-16"])
async def test_the_encoding_of_a_chinese_table_is_found_out(encoding: str, folder: Path, tool: BaseTool) -> None:
    (folder / "销售.csv").write_bytes("年份,地区,金额\n2023,华东地区,120.5\n2024年3月,华北地区,150\n".encode(encoding))
    found = await output(tool, path="销售.csv")
    assert f"Encoding: {encoding}" in found.text
    assert "| 2023 | 华东地区 | 120.5 |" in found.text


async def test_an_encoding_that_is_named_is_used(folder: Path, tool: BaseTool) -> None:
    (folder / "cafe.txt").write_bytes("café".encode("cp1252"))
    assert "café" in (await output(tool, path="cafe.txt", encoding="cp1252")).text
    with pytest.raises(FileError, match="not in utf-8"):
        await tool.ainvoke({"path": "cafe.txt", "encoding": "UTF-8"})


async def test_of_a_large_table_the_first_rows_are_shown_and_all_are_counted(folder: Path, tool: BaseTool) -> None:
    (folder / "large.csv").write_text("id;value\n" + "".join(f"{n};v{n}\n" for n in range(50_000)))
    found = await output(tool, path="large.csv", nrows=3)
    assert "3 rows shown of 50,000." in found.text
    assert "- id: number, 0 to 49999" in found.text
    assert found.text.splitlines()[-1] == "| 2 | v2 |"


async def test_programs_get_the_whole_of_a_table(folder: Path, tool: BaseTool, evidence: EvidenceStore) -> None:
    (folder / "a.csv").write_bytes(b"x\n1\n2\n3\n")
    (folder / "a.md").write_text("x")
    found = await output(tool, path="a.csv", nrows=1)
    assert await evidence.get_bytes(found.artifacts["a.csv"]) == b"x\n1\n2\n3\n"
    assert (await output(tool, path="a.md")).artifacts == {}


async def test_without_metadata_the_table_stands_alone(folder: Path, tool: BaseTool) -> None:
    (folder / "a.tsv").write_text("x\ty\n1\t2,5\n")
    found = await output(tool, path="a.tsv", parse_metadata=False)
    assert found.text.startswith("1 row, all there are.")
    assert found.text.endswith("| 1 | 2,5 |")


async def test_sheets_of_a_workbook_are_listed_and_one_is_read(folder: Path, tool: BaseTool) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    first = book.active
    assert first is not None
    first.title = "一季度"
    first.append(["月份", "金额"])
    first.append(["一月", 5])
    second = book.create_sheet("Notes")
    second.append(["note"])
    second.append(["done"])
    book.save(folder / "book.xlsx")
    assert "Sheet: 一季度 (of 2: 一季度, Notes)" in (await output(tool, path="book.xlsx")).text
    assert (await output(tool, path="book.xlsx", sheet_name="Notes")).text.endswith("| done |")
    with pytest.raises(FileError, match="no sheet 'x'; there is: 一季度, Notes"):
        await tool.ainvoke({"path": "book.xlsx", "sheet_name": "x"})


async def test_json_is_told_by_its_shape(folder: Path, tool: BaseTool) -> None:
    items = [{"id": n, "tags": ["a"], **({"end": None} if n else {})} for n in range(3)]
    (folder / "x.json").write_text(json.dumps({"items": items, "total": 3, "ok": True}))
    found = await output(tool, path="x.json")
    assert (
        "Shape: {items: [3 × {id: number, tags: [1 × text], end?: null}], total: number, ok: true/false}" in found.text
    )


async def test_lines_of_json_are_items(folder: Path, tool: BaseTool) -> None:
    (folder / "x.jsonl").write_text("".join(f'{{"n": {n}}}\n' for n in range(10)))
    found = await output(tool, path="x.jsonl", nrows=2)
    assert "2 items shown of 10." in found.text
    assert "Shape: [10 × {n: number}]" in found.text


async def test_a_program_is_text_and_is_not_run(folder: Path, tool: BaseTool) -> None:
    (folder / "run.py").write_text("open('made', 'w')\n" * 5)
    found = await output(tool, path="run.py", nrows=2)
    assert "Lines 1 to 2 of 5 are shown." in found.text
    assert os.listdir(folder) == ["run.py"]  # noqa: PTH208 - a blocking call either way, of no length


async def test_a_format_that_is_named_is_used(folder: Path, tool: BaseTool) -> None:
    (folder / "table.txt").write_text("a,b\n1,2\n")
    assert "| 1 | 2 |" in (await output(tool, path="table.txt", format="csv")).text
    assert "a,b\n1,2" in (await output(tool, path="table.txt")).text


async def test_a_document_is_converted(tool: BaseTool) -> None:
    for name, words in (("errors-of-deep-sounding.pdf", "sounding"), ("sigsbee-and-the-blake.docx", "Sigsbee")):
        assert words in (await output(tool, path=name)).text


async def test_without_folders_of_their_own_a_run_has_the_examples(tool: BaseTool) -> None:
    found = await output(tool, path="deep-sea/lead-line.md")
    assert found.url.startswith("deep-sea/")


async def test_a_run_has_the_folders_that_it_names(tmp_path: Path, evidence: EvidenceStore) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "a.txt").write_text("mine")
    allow_folders([mine])
    tool = file_reader(Run(RunContext(documents=[str(mine)])), evidence)
    assert (await output(tool, path=str(mine / "a.txt"), parse_metadata=False)).text == "mine"


async def test_a_missing_file_is_answered_with_those_that_are_there(folder: Path, tool: BaseTool) -> None:
    (folder / "a.csv").write_text("x,y\n1,2\n")
    with pytest.raises(FileError, match=r"There is: a\.csv"):
        await tool.ainvoke({"path": "b.csv"})


async def test_a_link_that_stays_inside_is_followed(folder: Path, tool: BaseTool) -> None:
    (folder / "a.txt").write_text("inside")
    (folder / "b.txt").symlink_to("a.txt")
    assert "inside" in (await output(tool, path="b.txt")).text


@pytest.mark.parametrize("rows", [0, 10_001])
async def test_the_number_of_rows_has_bounds(tool: BaseTool, rows: int) -> None:
    with pytest.raises(ValidationError):
        await tool.ainvoke({"path": "a.csv", "nrows": rows})


def test_parameters_are_those_of_the_contract(tool: BaseTool) -> None:
    wanted = ["path", "format", "encoding", "sheet_name", "nrows", "parse_metadata", "response_format"]
    assert list(FileReader.model_json_schema()["properties"]) == wanted
    assert list(tool.args) == wanted


async def test_nothing_blocks_the_event_loop(folder: Path, tool: BaseTool) -> None:
    (folder / "a.csv").write_text("x,y\n1,2\n")
    with blockbuster_ctx():
        await tool.ainvoke({"path": "a.csv"})
