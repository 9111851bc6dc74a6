"""What a catalogue says of a publication, as far as it can be right."""

import pytest

from schemas.clean_text import clean_address
from schemas.publication import Publication


@pytest.mark.parametrize(
    "written", ["10.1234/Ab.c", "https://doi.org/10.1234/ab.C", "doi:10.1234/AB.c", " 10.1234/ab.c "]
)
def test_a_doi_is_the_same_however_it_is_written(written: str) -> None:
    assert Publication(doi=written).doi == "10.1234/ab.c"


@pytest.mark.parametrize(
    ("field", "given", "left"),
    [
        *(("doi", written, "") for written in ("", "abc", "10.12/x", "10.1234/" + "x" * 500, None, 7)),
        *(("year", year, None) for year in (0, 999, 3000, -5, True, "2020", None)),
        *(("citations", count, None) for count in (-1, 10**12, True, "5", 2.5)),
    ],
)
def test_what_cannot_be_right_is_left_out(field: str, given: object, left: object) -> None:
    assert getattr(Publication.model_validate({field: given}), field) == left


def test_names_are_lines_of_bounded_length_and_number() -> None:
    known = Publication(authors=("A\x1b[1m\nB", "", "n" * 9_000, *map(str, range(100))), venue="V\u202e  W")
    assert known.authors[:2] == ("A[1m B", "n" * 299 + "…")
    assert (len(known.authors), known.venue) == (20, "V W")


def test_an_open_text_lies_on_the_web() -> None:
    assert Publication(open_url="https://a.example/x.pdf").open_url
    assert not Publication(open_url="javascript:alert(1)").open_url
    assert clean_address(" https://a.example/x ") == "https://a.example/x"
