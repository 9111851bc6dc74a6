"""What a catalogue says of a publication, as far as it can be right."""

import pytest

from schemas.clean_text import clean_address
from schemas.publication import Publication


@pytest.mark.parametrize(
    "written", ["10.1234/Ab.c", "https://doi.org/10.1234/ab.C", "doi:10.1234/AB.c", " 10.1234/ab.c "]
)
def test_a_doi_is_the_same_however_it_is_written(written: str) -> None:
    assert Publication(doi=written).doi == "10.1234/ab.c"


@pytest.mark.parametrize("written", ["", "abc", "10.12/x", "10.1234/" + "x" * 500, None, 7])
def test_what_is_no_doi_is_left_out(written: object) -> None:
    assert Publication.model_validate({"doi": written}).doi == ""


@pytest.mark.parametrize("year", [0, 999, 3000, -5, True, "2020", None])
def test_what_is_no_year_is_left_out(year: object) -> None:
    assert Publication.model_validate({"year": year}).year is None


@pytest.mark.parametrize("count", [-1, 10**12, True, "5", 2.5])
def test_what_is_no_number_of_citations_is_left_out(count: object) -> None:
    assert Publication.model_validate({"citations": count}).citations is None


def test_names_are_lines_of_bounded_length_and_number() -> None:
    known = Publication(authors=("A\x1b[1m\nB", "", "n" * 9_000, *map(str, range(100))), venue="V\u202e  W")
    assert known.authors[:2] == ("A[1m B", "n" * 300)
    assert (len(known.authors), known.venue) == (20, "V W")


def test_an_open_text_lies_on_the_web() -> None:
    assert Publication(open_url="https://a.example/x.pdf").open_url
    assert not Publication(open_url="javascript:alert(1)").open_url
    assert clean_address(" https://a.example/x ") == "https://a.example/x"


def test_it_comes_through_json_as_it_was() -> None:
    known = Publication(year=2020, authors=("Ada",), citations=0, doi="10.1234/x")
    assert Publication.model_validate_json(known.model_dump_json()) == known
