"""Who publishes a source and of which kind it is, by its address and by what a page says of itself."""

import pytest

from services.search.source_kinds import LONGEST_SITE, category_of, registrable, site_of


@pytest.mark.parametrize(
    ("kind", "addresses"),
    {
        "official": "https://www.gov.cn/a https://stats.gov.cn/a https://www.gov.uk/a https://www.whitehouse.gov https://who.int/news/item "
        "https://www.imf.org/x https://www.stat.go.jp/x https://economie.gouv.fr https://ec.europa.eu/eurostat https://www.army.mil",
        "academic": "https://cs.ox.ac.uk/p https://www.tsinghua.edu.cn/news https://mit.edu https://arxiv.org/abs/1 "
        "https://doi.org/10.1/x https://pubmed.ncbi.nlm.nih.gov/1 https://www.ncbi.nlm.nih.gov/pmc/articles/1",
        "code": "https://github.com/a/b https://pypi.org/project/x https://bob.github.io/news/x https://x.readthedocs.io",
        "news": "https://news.example.org/a https://www.bbc.co.uk/a https://www.reuters.com/world/1 "
        "https://example.com/sport/news/1.html",
        "reference": "https://en.wikipedia.org/wiki/Wire https://plato.stanford.edu/entries/x https://baike.baidu.com/item/x "
        "https://wiki.example.org/Wire",
        "forum": "https://old.reddit.com/r/news/1 https://physics.stackexchange.com/q/1 https://www.zhihu.com/question/1 "
        "https://forum.example.org/1 https://example.org/viewtopic.php?t=1",
        "company": "https://www.prnewswire.com/news-releases/x.html https://shop.example.org/x https://example.com/products/x "
        "https://investors.example.com/x https://example.com/press-releases/1",
        "personal": "https://bob.substack.com/p/1 https://medium.com/@bob/x https://bob.blogspot.com/2020/x",
        "general": "https://example.com/a https://evilarxiv.org/x https://arxiv.org.evil.com/ https://edu.example.com/ "
        "https://gov.evil.com https://example.com/newspaper http://127.0.0.1/a papers/a.md ftp://mit.edu/x http://[broken",
    }.items(),
)
def test_addresses_tell_the_kind(kind: str, addresses: str) -> None:
    assert {address: category_of(address) for address in addresses.split()} == dict.fromkeys(addresses.split(), kind)


def test_what_a_page_claims_counts_where_its_address_tells_nothing() -> None:
    assert category_of("https://paper.example.com/1", "academic") == "academic"
    assert category_of("https://paper.example.com/news/1", "academic") == "academic"
    assert category_of("https://www.gov.uk/a", "news") == "official"


@pytest.mark.parametrize(
    ("url", "publisher", "site"),
    [
        ("https://www.who.int/x", "World Health Organization", "World Health Organization"),
        ("https://bbc.co.uk/x", "BBC News", "BBC News"),
        ("https://nature.com/x", " Nature\n", "Nature"),
        ("https://people.com.cn/x", "人民网", "人民网 (people.com.cn)"),
        ("https://evil.example/x", "Reuters", "Reuters (evil.example)"),
        ("https://a.org/x", "", "a.org"),
        ("https://a.org/x", "<b>Nature</b>", "a.org"),
        ("https://a.org/x", "https://nature.com", "a.org"),
        ("https://a.org/x", "x" * (LONGEST_SITE + 1), "a.org"),
        ("https://a.org/x", "--- 2024", "a.org"),
        ("https://a.org/x", "A\x00 \x07Gazette", "A Gazette (a.org)"),
        ("https://a.org/x", "\u202eetteezaG", "etteezaG (a.org)"),
    ],
)
def test_the_name_of_a_site_is_that_of_its_page_or_of_its_address(url: str, publisher: str, site: str) -> None:
    assert site_of(url, "web", publisher) == site


def test_other_sources_are_named_by_their_server_or_database() -> None:
    assert site_of("docs/papers/2024/a.md", "document") == ""
    assert site_of("tool:library/lookup#2", "tool") == "library"
    assert site_of("database:sales", "database") == "sales"
    assert site_of("computation:C1", "computation") == ""


@pytest.mark.parametrize("piece", ["a.", "news/", "%", "<", "é", "\x00", ".gov", "(" * 9, "://"])
def test_long_addresses_and_names_are_bounded(piece: str) -> None:
    for text in (f"https://{piece * 50_000}", f"https://a.org/{piece * 50_000}"):
        category_of(text)
        assert len(registrable(text)) <= 4_000
        assert len(site_of("https://a.org/", "web", text)) <= 2 * LONGEST_SITE
