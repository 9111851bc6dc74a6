"""Filters: sites that a search keeps to or leaves out, however people write them."""

import pytest

from services.run.errors import BadInput
from services.search.filters import Filters


@pytest.mark.parametrize(
    ("url", "taken"),
    [
        ("https://example.com/a", True),
        ("https://www.Example.com./a", True),
        ("https://example.com.evil.example/", False),
        ("https://notexample.com/", False),
        ("https://bad.example.com/", False),
        ("https://deep.bad.example.com/", False),
        ("https://xn--bcher-kva.example/", True),
        ("no address", False),
        ("http://[", False),
    ],
)
def test_a_domain_stands_for_all_below_it(url: str, *, taken: bool) -> None:
    filters = Filters.of(["Example.com", "bücher.example"], ["bad.example.com"])
    assert filters.permit(url) is taken


@pytest.mark.parametrize("text", ["*.example.com", "https://example.com:8080/a?b", "example.com.", ".example.com"])
def test_domains_are_read_as_people_write_them(text: str) -> None:
    assert Filters.of([text]).only == ("example.com",)


@pytest.mark.parametrize("text", ["", "a b", "https://", "exa$mple.com", "user@example.com"])
def test_what_is_no_domain_is_named(text: str) -> None:
    with pytest.raises(BadInput, match="is not a domain"):
        Filters.of([], [text])


def test_kinds_are_left_out_by_the_address_and_by_what_else_is_known() -> None:
    filters = Filters.of(kinds=["forum", "personal"])
    assert not filters.permit("https://www.reddit.com/r/wire/1")
    assert filters.permit("https://example.com/")
    assert not filters.permit("https://example.com/", "personal")
    assert not filters.permit("https://www.reddit.com/r/wire/1", "official")
