"""All texts of a folder as one file for programs."""

import json
from pathlib import Path

import pytest

from services.search import all_texts
from services.search.documents import open_documents
from services.search.providers import Providers

LETTER = "# Letter {n}\n\nDate: 1872-03-{n:02}\nStatus: {status}\n\nThe keeper counted {n} ships.\n"


def letters(folder: Path, count: int) -> Path:
    folder.mkdir(parents=True)
    for n in range(1, count + 1):
        (folder / f"letter-{n:02}.md").write_text(LETTER.format(n=n, status="draft" if n % 2 else "sent"))
    (folder / "ships.csv").write_text("ship,guns\nBlake,2\nTuscarora,3\n")
    return folder


async def test_the_file_has_every_document_with_its_card_and_its_whole_text(tmp_path: Path) -> None:
    documents = await open_documents(letters(tmp_path / "post", 12), tmp_path / "home")
    table = await documents.all_texts("letter 8 that was sent")
    assert table is not None
    records = [json.loads(line) for line in table.read().decode().splitlines()]
    assert [record["path"] for record in records] == [f"post/letter-{n:02}.md" for n in range(1, 13)]
    assert records[4]["title"] == "Letter 5"
    assert records[4]["status"] == "draft"
    assert records[4]["text"].endswith("The keeper counted 5 ships.")
    assert table.view.file == "post-texts.jsonl"
    assert table.view.rows == 12
    assert "status: text, 2 different, e.g. draft | sent" in table.view.columns
    shown = [json.loads(line)["title"] for line in table.view.sample.splitlines()]
    assert shown[0] == "Letter 8"
    assert len(shown) == 6


async def test_of_the_texts_nearest_to_a_step_the_passage_that_it_wants_is_shown(tmp_path: Path) -> None:
    folder = letters(tmp_path / "post", 12)
    far = "\n\n".join(["The sea was calm, and nothing was seen."] * 60)
    (folder / "letter-07.md").write_text(
        f"# Letter 7\n\n{far}\n\n## Fines\n\nWhoever lights no lamp pays four shillings.\n"
    )
    documents = await open_documents(folder, tmp_path / "home")
    table = await documents.all_texts("the fines of whoever lights no lamp, in shillings")
    assert table is not None
    first = json.loads(table.view.sample.splitlines()[0])["text"]
    assert first.startswith("# Letter 7\n\nThe sea")
    assert "… " in first
    assert "Whoever lights no lamp pays four shillings." in first


async def test_texts_that_a_step_names_are_shown_and_one_of_a_folder_that_it_names(tmp_path: Path) -> None:
    folder = letters(tmp_path / "post", 12)
    letters(folder / "bills", 3)
    documents = await open_documents(folder, tmp_path / "home")
    table = await documents.all_texts("compare letter-11.md with the texts of bills")
    assert table is not None
    shown = [json.loads(line)["path"] for line in table.view.sample.splitlines()][-all_texts.EVENLY :]
    assert {"post/letter-11.md", "post/bills/letter-01.md"} <= {*shown}
    assert "post/bills/letter-02.md" not in shown


@pytest.mark.parametrize(("count", "longest"), [(9, 30_000_000), (12, 500)])
async def test_few_or_very_long_texts_make_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, longest: int
) -> None:
    monkeypatch.setattr(all_texts, "LONGEST", longest)
    documents = await open_documents(letters(tmp_path / "post", count), tmp_path / "home")
    assert await documents.all_texts("letter 8 that was sent") is None


async def test_a_single_file_of_records_makes_one_and_programs_get_it_as_it_was_written(tmp_path: Path) -> None:
    folder = letters(tmp_path / "post", 2)
    written = json.dumps(
        [{"keeper": "Hale", "ships": ["Blake", "Tuscarora"]}, {"keeper": "Ross", "ships": []}], indent=1
    )
    (folder / "keepers.json").write_text(written)
    table = await (await open_documents(folder, tmp_path / "home")).all_texts("keepers and their ships")
    assert table is not None
    texts = {record["path"]: record["text"] for record in map(json.loads, table.read().decode().splitlines())}
    assert texts["post/keepers.json"] == written
    shown = table.view.sample.splitlines()
    assert written in {json.loads(line)["text"] for line in shown}
    beginnings = [json.loads(line)["path"] for line in shown[-3:]]
    assert sorted(beginnings) == ["post/keepers.json", "post/letter-01.md", "post/letter-02.md"], "each once"


async def test_folders_of_one_name_have_files_of_different_names(tmp_path: Path) -> None:
    named = "the post of\n" + 40 * "many "
    folders = [letters((tmp_path / str(place)) / named, 10) for place in range(2)]
    opened = [await open_documents(folder, tmp_path / "home") for folder in folders]
    first, second = [table.view.file for table in await Providers(documents=opened).all_texts("ships")]
    assert second == f"2-{first}"
    assert len(first) < 80
    assert "\n" not in first
