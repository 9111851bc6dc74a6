"""Hits: what a search found, and where its whole text is; those of earlier journals are still read."""

from schemas.publication import Publication
from services.search.hit import Hit

EARLIER = (
    '{"url":"https://a.example/x","title":"A","kind":"web","text":"","snippet_only":true,"published":"2020-01-02",'
    '"site":"a.example","source_kind":"general","score":0.0,"passages":[]}'
)


def test_a_hit_of_an_earlier_journal_is_read() -> None:
    hit = Hit.model_validate_json(EARLIER)
    assert (hit.publication, hit.abstract_only, hit.address_to_read) == (None, False, "https://a.example/x")


def test_a_hit_with_its_publication_comes_through_a_journal() -> None:
    known = Publication(year=2020, doi="10.1234/x", open_url="https://b.example/x.pdf")
    hit = Hit(url="https://a.example/x", title="A", kind="web", text="Abstract.", abstract_only=True, publication=known)
    assert Hit.model_validate_json(hit.model_dump_json()) == hit
    assert hit.address_to_read == "https://b.example/x.pdf"


def test_a_publication_that_is_not_open_is_read_at_its_own_address() -> None:
    hit = Hit(url="https://a.example/x", title="A", kind="web", text="", publication=Publication(year=2020))
    assert hit.address_to_read == "https://a.example/x"
