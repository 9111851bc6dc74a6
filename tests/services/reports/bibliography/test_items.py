"""CSL-JSON: what is cited and nothing else, with the fields that the specification names."""

import json
import re
from typing import Any

from services.reports.bibliography import csl_items, csl_json
from tests.services.reports.bibliography.shelf import CITED, SOURCES, report, source

TYPES = {"article", "article-journal", "dataset", "document", "software", "webpage"}
"""Types of the CSL specification 1.0.2 that are used."""
TEXTS = {"id", "type", "title", "container-title", "publisher", "note", "URL", "DOI", "license", "language"}
"""Its variables that are strings."""


def items(**fields: Any) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads(csl_json(report(**fields)))
    return loaded


def test_every_cited_source_is_an_item_in_the_order_of_its_number() -> None:
    assert [item["citation-number"] for item in items()] == list(range(1, CITED + 1))


def test_items_have_the_fields_of_the_specification() -> None:
    for item in items():
        assert item["type"] in TYPES
        assert item["id"]
        for name, value in item.items():
            if name in TEXTS:
                assert isinstance(value, str)
                assert value
            elif name in {"issued", "accessed"}:
                [parts] = value["date-parts"]
                assert 1 <= len(parts) <= 3
                assert all(isinstance(part, int) for part in parts)
            elif name == "author":
                assert all(set(author) in ({"literal"}, {"family", "given"}) for author in value)
            else:
                assert name == "citation-number"


def test_a_paper_has_what_its_catalogue_knows() -> None:
    paper = items()[0]
    assert paper["type"] == "article-journal"
    assert paper["container-title"] == "Journal of Soundings"
    assert paper["author"][1] == {"family": "Weight", "given": "B. C."}
    assert paper["issued"] == {"date-parts": [[2020, 3, 1]]}
    assert (paper["DOI"], paper["license"]) == ("10.1234/echo_1", "cc-by")


def test_a_page_and_a_file_without_authors_are_entries_with_the_date_of_their_reading() -> None:
    page, file = items()[1:3]
    assert page["type"] == "webpage"
    assert (page["container-title"], page["URL"]) == ("noaa.gov", "https://noaa.gov/deep?a=1&b=2")
    assert page["accessed"] == {"date-parts": [[2026, 11, 1]]}
    assert file["type"] == "document"
    assert file["note"] == "papers/wire notes.md"
    assert "URL" not in file
    assert "author" not in {*page, *file}


def test_chinese_authors_stay_whole() -> None:
    chinese = items()[3]
    assert chinese["author"] == [{"literal": "王小明"}, {"literal": "李四"}]
    assert chinese["language"] == "zh"


def test_a_preprint_is_in_no_journal_and_a_repository_is_software() -> None:
    assert [item["type"] for item in items()[4:]] == ["software", "article"]
    assert items()[5]["publisher"] == "arXiv"


def test_keys_are_ascii_unique_and_the_same_in_every_report() -> None:
    keys = [item["id"] for item in items()]
    assert keys[:2] == ["sounder2020wire", "noaadeep"]
    assert len(set(keys)) == CITED
    assert all(re.fullmatch(r"[a-z][a-z0-9-]*", key) for key in keys)
    alone = csl_items([SOURCES[0].model_copy(update={"number": 9})])
    assert alone[0]["id"] == "sounder2020wire"
    twins = [source(number, "Same", "https://a.org/", site="a.org") for number in (1, 2)]
    assert [item["id"] for item in csl_items(twins)] == [f"asame-{twin.content_hash[:8]}" for twin in twins]


def test_dates_that_cannot_be_are_left_out() -> None:
    odd = [source(1, "T", "https://a.org/", published=text) for text in ("2020-13-01", "2020-02-40", "soon", "20201")]
    assert [item.get("issued") for item in csl_items(odd)] == [
        {"date-parts": [[2020]]}, {"date-parts": [[2020, 2]]}, None, None,
    ]  # fmt: skip
