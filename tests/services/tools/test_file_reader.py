"""The tool `file_reader`: what it says about tables, JSON, texts and documents."""

import os
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx
from langchain_core.tools import BaseTool

from schemas.context import RunContext
from services.run.errors import FileError
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.search.documents import open_documents
from services.search.providers import allow_folders
from services.tools.file_reader import file_reader
from tests.conftest import SetEnvironment
from tests.services.tools.conftest import output


@pytest.fixture
def folder(tmp_path: Path, environment: SetEnvironment) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    environment(LEADLINE_DOCS=str(folder))
    return folder


@pytest.fixture
def tool(run: Run, evidence: EvidenceStore) -> BaseTool:
    return file_reader(run, evidence)


async def test_a_table_comes_with_its_columns_and_number_of_rows(folder: Path, tool: BaseTool) -> None:
    (folder / "soundings.csv").write_text("ship,year,depth\nVema,1957,9000\nKaikō,1995,\n")
    found = await output(tool, path="soundings.csv")
    assert found.text.splitlines()[1:] == [
        "2 rows",
        "- ship: text, 2 different, e.g. Vema | Kaikō",
        "- year: number, 1957 to 1995",
        "- depth: number, 9000 to 9000, 1 missing",
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


async def test_a_document_is_the_source_that_searches_find(folder: Path, tool: BaseTool, tmp_path: Path) -> None:
    name = "bip-0448.md"
    (folder / name).write_text("```\n  BIP: 448\n  Title: Lines\n  Status: Draft\n```\n\n## Abstract\n\nThey hold.\n")
    found = await output(tool, path=name)
    hit = await (await open_documents(folder, tmp_path / "home")).at(f"papers/{name}")
    assert hit
    assert (found.text, found.card, found.title) == (hit.text, hit.card, hit.title)
    assert found.card.line == "BIP 448 – Lines (Draft)"


async def test_the_encoding_of_a_chinese_table_is_found_out(folder: Path, tool: BaseTool) -> None:
    (folder / "销售.csv").write_bytes("年份,地区,金额\n2023,华东地区,120.5\n2024年3月,华北地区,150\n".encode("gb18030"))
    found = await output(tool, path="销售.csv")
    assert "- 地区: text, 2 different, e.g. 华东地区 | 华北地区" in found.text
    assert "| 2023 | 华东地区 | 120.5 |" in found.text


async def test_programs_get_the_whole_of_a_table(folder: Path, tool: BaseTool, evidence: EvidenceStore) -> None:
    (folder / "a.csv").write_bytes(b"x\n1\n2\n3\n")
    (folder / "a.md").write_text("x")
    found = await output(tool, path="a.csv")
    assert await evidence.get_bytes(found.artifacts["a.csv"]) == b"x\n1\n2\n3\n"
    assert (await output(tool, path="a.md")).artifacts == {}


async def test_the_sheets_of_a_workbook_are_described_and_read(folder: Path, tool: BaseTool) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    first = book.active
    assert first is not None
    first.title = "一季度"
    first.append(["月份", "金额"])
    first.append(["一月", 5])
    second = book.create_sheet("Notes")
    second.append(["note", "by"])
    second.append(["done", "me"])
    book.save(folder / "book.xlsx")
    text = (await output(tool, path="book.xlsx")).text
    assert "Sheet 一季度: 1 rows\n- 月份: text, 1 different, e.g. 一月\n- 金额: number, 5 to 5" in text
    assert "| 一月 | 5 |" in text
    assert "| done | me |" in text


async def test_other_files_are_text_or_converted_and_a_program_is_not_run(folder: Path, tool: BaseTool) -> None:
    (folder / "x.jsonl").write_text('{"n": 1}\n{"n": 2}\n')
    (folder / "README").write_text("Read me first")
    (folder / "run.py").write_text("open('made', 'w')\n" * 5)
    assert (await output(tool, path="x.jsonl")).text.endswith('{"n": 1}\n{"n": 2}\n```')
    plain = await output(tool, path="README")
    assert (plain.text, plain.title, plain.card.line) == ("Read me first", "README", "")
    assert "open('made', 'w')" in (await output(tool, path="run.py")).text
    assert sorted(os.listdir(folder)) == ["README", "run.py", "x.jsonl"]  # noqa: PTH208 - a blocking call either way, of no length


async def test_without_folders_of_their_own_a_run_has_the_examples(tool: BaseTool) -> None:
    found = await output(tool, path="deep-sea/lead-line.md")
    assert found.url.startswith("deep-sea/")


async def test_a_run_has_the_folders_that_it_names(tmp_path: Path, evidence: EvidenceStore) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "a.txt").write_text("mine")
    allow_folders([mine])
    tool = file_reader(Run(RunContext(documents=[str(mine)])), evidence)
    assert (await output(tool, path=str(mine / "a.txt"))).text.endswith("mine")


async def test_a_missing_file_is_answered_with_those_that_are_there(folder: Path, tool: BaseTool) -> None:
    (folder / "a.csv").write_text("x,y\n1,2\n")
    with pytest.raises(FileError, match=r"There is: a\.csv"):
        await tool.ainvoke({"path": "b.csv"})


async def test_a_link_that_stays_inside_is_followed(folder: Path, tool: BaseTool) -> None:
    (folder / "a.txt").write_text("inside")
    (folder / "b.txt").symlink_to("a.txt")
    assert "inside" in (await output(tool, path="b.txt")).text


async def test_nothing_blocks_the_event_loop(folder: Path, tool: BaseTool) -> None:
    (folder / "a.csv").write_text("x,y\n1,2\n")
    with blockbuster_ctx():
        await tool.ainvoke({"path": "a.csv"})
