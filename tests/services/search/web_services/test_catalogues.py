"""The encyclopaedia and the catalogues of papers, each against its twin: what they know of a publication comes along."""

import pytest

from schemas.publication import Publication
from services.run.errors import SearchError
from services.search.filters import Filters
from services.search.hit import Hit
from tests.fakes.http import Reply
from tests.fakes.search_services.forms import FORMS, answer
from tests.fakes.search_services.twin import twin
from tests.services.search.web_services.ask import search_of

CONTACT = "operator@leadline.example"


async def found(name: str, **options: object) -> list[Hit]:
    with twin(FORMS[name]) as served:
        return await search_of(name, served, **options).search("depths by echo", 5)


async def test_wikipedia_gives_articles_by_rank_as_snippets() -> None:
    hits = await found("wikipedia")
    assert [hit.title for hit in hits] == ["Echo sounding", "Sounding line"]
    assert (hits[0].url, hits[0].snippet_only) == ("https://en.wikipedia.org/wiki/Echo_sounding", True)
    assert (hits[0].text, hits[0].publication) == ("Echo sounding finds the depth of water.", None)


async def test_wikipedia_gives_the_english_article_after_each_chinese_one_as_a_page_to_be_read() -> None:
    with twin(FORMS["wikipedia"]) as served:
        served.found = answer("wikipedia-chinese")
        hits = await search_of("wikipedia", served).search("回声测深", 5)
    assert len(served.asked) == 1
    assert [(hit.title, hit.text) for hit in hits] == [
        ("回声测深", "回声测深用声音测量水深。"),
        ("Echo sounding", ""),
        ("测深锤", "测深锤是系在绳上的重物。"),
        ("Sounding line", ""),
        ("测深船", "测深船测量水深。"),
    ]
    assert all(hit.snippet_only and hit.source_kind == "reference" for hit in hits)
    assert hits[1].address_to_read == "https://en.wikipedia.org/wiki/Echo_sounding"


async def test_other_pages_on_a_subject_do_not_stand_in_for_a_result_of_their_address() -> None:
    with twin(FORMS["wikipedia"]) as served:
        served.found = answer("wikipedia-chinese")
        first, last = served.found["query"]["pages"][0], served.found["query"]["pages"][-1]
        first["langlinks"] = [
            {"lang": "en", "url": last["canonicalurl"], "title": "The same"},
            {"lang": "en", "url": "javascript:alert(1)", "title": "No page"},
            {"lang": "en", "title": "No address"},
            "no link",
        ]
        hits = await search_of("wikipedia", served).search("回声测深", 5)
    assert [hit.title for hit in hits] == ["回声测深", "测深锤", "Sounding line", "测深船"]
    assert hits[-1].text == "测深船测量水深。"


async def test_openalex_tells_where_a_paper_is_open() -> None:
    first, second = await found("openalex")
    assert first.publication == Publication(
        year=2020,
        venue="Journal of Soundings",
        authors=("Ada Sounder", "Ben Weight"),
        citations=41,
        doi="10.1234/echo.1",
        licence="cc-by",
        open_url="https://repository.example/echo.pdf",
    )
    assert (first.url, first.title) == ("https://doi.org/10.1234/Echo.1", "Depths by echo")
    assert (first.text, first.snippet_only, first.abstract_only) == (
        "Sound travels to the floor, to return.",
        True,
        True,
    )
    assert (first.published, first.source_kind) == ("2020-03-01", "academic")
    assert first.address_to_read == "https://repository.example/echo.pdf"
    assert (second.url, second.published) == ("https://openalex.org/W2", "1899")
    assert (second.text, second.snippet_only, second.abstract_only) == ("Wire sinks.", False, True)


async def test_crossref_gives_abstracts_without_their_tags() -> None:
    first, second = await found("crossref")
    assert first.text == "Sound travels < 2 s to the floor.\nThe time gives the depth."
    assert first.publication == Publication(
        year=2020,
        venue="Journal of Soundings",
        authors=("Ada Sounder", "The Wire Survey"),
        citations=40,
        doi="10.1234/echo.1",
        licence="https://creativecommons.org/licenses/by/4.0/",
    )
    assert (first.title, first.published) == ("Depths by echo", "2020-03-01")
    assert (second.text, second.snippet_only, second.published) == ("", True, None)


async def test_arxiv_gives_abstracts_and_the_addresses_of_pdfs() -> None:
    (hit,) = await found("arxiv")
    assert (hit.url, hit.title) == ("http://arxiv.org/abs/2003.00001v2", "Depths by echo")
    assert hit.text == "Sound travels to the floor and returns."
    assert (hit.snippet_only, hit.address_to_read) == (True, "http://arxiv.org/pdf/2003.00001v2")
    assert hit.publication is not None
    assert hit.publication.authors == ("Ada Sounder", "Ben Weight")
    assert (hit.publication.venue, hit.publication.doi) == ("J. Soundings 3 (2020)", "10.1234/echo.1")


async def test_arxivs_own_words_for_an_error_are_repeated() -> None:
    with twin(FORMS["arxiv"]) as served:
        served.replies.append(Reply(raw=answer("arxiv-error")))
        with pytest.raises(SearchError, match="arXiv could not answer: 'max_results must be an integer'"):
            await search_of("arxiv", served).search("depths by echo", 5)


async def test_europepmc_gives_the_open_pdf_and_an_address_for_what_has_no_doi() -> None:
    first, second = await found("europepmc")
    assert first.text == "Background\nSound travels to the floor.\nResults\nIt returns."
    assert (first.url, first.address_to_read) == (
        "https://doi.org/10.1234/echo.1",
        "https://europepmc.org/articles/PMC11?pdf=render",
    )
    assert first.publication is not None
    assert first.publication.authors == ("Sounder A", "The Wire Survey")
    assert (first.publication.citations, first.publication.licence) == (12, "cc by")
    assert (second.url, second.published) == ("https://europepmc.org/article/PPR/22%20x", "1899")


async def test_semantic_scholar_gives_papers_with_and_without_abstract() -> None:
    first, second = await found("semanticscholar")
    assert first.publication is not None
    assert (first.publication.doi, first.publication.open_url) == (
        "10.1234/echo.1",
        "https://repository.example/echo.pdf",
    )
    assert (first.snippet_only, first.abstract_only) == (True, True)
    assert (second.text, second.snippet_only, second.abstract_only) == ("", True, False)


@pytest.mark.parametrize("name", ["wikipedia", "openalex", "crossref"])
async def test_a_contact_goes_to_services_that_ask_for_one(name: str) -> None:
    with twin(FORMS[name]) as served:
        await search_of(name, served, contact=CONTACT).search("depths by echo", 5)
        await search_of(name, served).search("depths by echo", 5)
    assert CONTACT in served.headers[0]["User-Agent"]
    assert served.asked[0].get("mailto") == (None if name == "wikipedia" else CONTACT)
    assert served.headers[1]["User-Agent"] == "Leadline"
    assert "mailto" not in served.asked[1]


@pytest.mark.parametrize("name", sorted(FORMS.keys() - {"wikipedia", "openalex", "crossref"}))
async def test_a_contact_goes_to_no_other_service(name: str) -> None:
    with twin(FORMS[name]) as served:
        await search_of(name, served, contact=CONTACT).search("depths by echo", 5)
    assert CONTACT not in str(served.asked) + str(served.headers)


async def test_an_open_text_at_a_site_that_is_left_out_is_not_read() -> None:
    first, _ = await found("openalex", filters=Filters.of((), ["repository.example"]))
    assert (first.address_to_read, first.snippet_only, first.abstract_only) == (first.url, False, True)
