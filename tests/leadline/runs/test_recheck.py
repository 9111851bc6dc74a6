"""`leadline watch`: which claims of a report hold when its sources have changed."""

import asyncio
from pathlib import Path

import pytest

from leadline import research
from leadline.runs.recheck import recheck
from schemas.context import RunContext
from schemas.evidence import Claim
from tests.fakes.site import Site
from tests.leadline.runs.conftest import Checked, article, found

QUESTION = "Where was the designer of the wire sounding machine born?"
BORN = "William Thomson was born in Belfast in 1824."


@pytest.fixture
def run_id(docs: Path) -> str:
    report = research(QUESTION, docs=[docs], out="out")
    assert any("Belfast" in claim.text for claim in report.citations)
    return report.run_id


def test_a_quote_that_only_moved_still_holds(run_id: str, docs: Path, checked: Checked) -> None:
    thomson = docs / "thomson.md"
    thomson.write_text(thomson.read_text().replace("# William Thomson", "# William Thomson\n\nA new introduction."))
    changes = checked(run_id)
    assert (changes["claims"], changes["other_figures"]) == ([], [])


def test_other_words_that_say_the_same_are_a_change(run_id: str, docs: Path, checked: Checked) -> None:
    thomson = docs / "thomson.md"
    thomson.write_text(thomson.read_text().replace(BORN, "In 1824 William Thomson was born in the town of Belfast."))
    changes = checked(run_id)
    changed = [one for one in changes["claims"] if one["state"] == "changed"]
    assert changed
    assert all(BORN in claim["was"] for claim in changed)
    assert all("In 1824 William Thomson was born in the town of Belfast." in claim["now"] for claim in changed)


def test_what_is_shown_in_a_quotes_place_speaks_of_the_same(run_id: str, docs: Path, checked: Checked) -> None:
    thomson = docs / "thomson.md"
    thomson.write_text(
        "# William Thomson\n\nThis page has moved. Please see the museum's catalogue for opening hours.\n"
    )
    changes = checked(run_id, code=1)
    assert {one["now"] for one in changes["claims"] if one["state"] == "fallen"} == {""}


@pytest.mark.parametrize(
    ("between", "sign"), [("", ""), (" The harbour froze over.", " …"), ("\n\n## Honours\n\n", " …")]
)
def test_a_quote_of_two_sentences_is_found_in_two(docs: Path, between: str, sign: str) -> None:
    thomson = docs / "thomson.md"
    report = research(QUESTION, docs=[docs])
    excerpt = next(excerpt for excerpt in report.excerpts if BORN in excerpt.quote)
    quote = excerpt.model_copy(update={"quote": f"{BORN} He was knighted in 1866."})
    text = "William Thomson, born in Belfast in 1824, was knighted in 1866."
    said = Claim(text=text, citations=[quote.id], verified=True)
    now = f"In 1824 William Thomson was born in Belfast.{between} Knighted in 1866, he prospered."
    thomson.write_text(thomson.read_text().replace(BORN, now))
    sums_up = Claim(text="Belfast made him.", verified=True, cited_by="report")
    never = said.model_copy(update={"text": "William Thomson was born in 1830.", "verified": False})
    changed = report.model_copy(update={"excerpts": [quote], "citations": [sums_up, said, never]})
    _, [claim] = asyncio.run(recheck(changed, RunContext(documents=[str(docs)])))
    assert claim.state == "changed"
    assert claim.now == f"In 1824 William Thomson was born in Belfast.{sign} Knighted in 1866, he prospered."


def test_files_at_one_address_in_two_folders_of_one_name_are_told_apart(tmp_path: Path, checked: Checked) -> None:
    aden, basra = files = [tmp_path / side / "docs" / "pump.md" for side in ("a", "b")]
    for file, town, litres in (aden, "Aden", 10), (basra, "Basra", 20):
        file.parent.mkdir(parents=True)
        file.write_text(f"# Pump\n\nThe pump of {town} moves {litres} litres a minute. It was built of brass.\n")
    asked = "How many litres do the pump of Aden and the pump of Basra move?"
    run_id = research(asked, docs=[file.parent for file in files]).run_id
    changes = checked(run_id)
    assert (changes["claims"], changes["other_figures"], changes["gone"]) == ([], [], [])
    for file in files:
        file.write_text(file.read_text().replace("0 litres", "5 litres"))
    told = {(one["was"].split()[3], one["now"].split()[3]) for one in checked(run_id, code=1)["other_figures"]}
    assert told == {("Aden", "Aden"), ("Basra", "Basra")}
    aden.write_text(aden.read_text().replace("5 litres", "0 litres"))
    basra.unlink()
    (basra.parent / "valve.md").write_text("# Valve\n\nThe valve of Basra is closed.")
    assert [one["title"] for one in checked(run_id)["gone"]] == ["Pump"]


def test_pages_are_read_again(checked: Checked, pages: Site) -> None:
    text = "The first tide predicting machine was designed by William Thomson and built in {}."
    address = pages.page("/machine", article("Tide predicting machines", text.format(1873)))
    found(pages, (address, "Tide machines", "In short."))
    report = research("Who designed the tide predicting machine and in which year?", search="duckduckgo")
    assert "1873" in report.markdown
    pages.page("/machine", article("Tide predicting machines", text.format(1876)))
    changed = checked(report.run_id, code=1)
    assert "fallen" in {one["state"] for one in changed["other_figures"]}
