"""Answers of the encyclopaedia and of the catalogues of papers, in the forms that their documentation shows."""

from typing import Any
from urllib.parse import quote

from tests.fakes.search_services.twin import Form

WIKIPEDIA: dict[str, Any] = {
    "batchcomplete": True,
    "continue": {"gsroffset": 2, "continue": "gsroffset||"},
    "query": {
        "pages": [
            {
                "pageid": 7,
                "ns": 0,
                "title": "Sounding line",
                "index": 2,
                "extract": "A sounding line is a rope with a weight.",
                "fullurl": "https://en.wikipedia.org/wiki/Sounding_line",
                "canonicalurl": "https://en.wikipedia.org/wiki/Sounding_line",
            },
            {
                "pageid": 9,
                "ns": 0,
                "title": "Echo sounding",
                "index": 1,
                "extract": "Echo sounding finds the depth of water.",
                "fullurl": "https://en.wikipedia.org/wiki/Echo_sounding",
                "canonicalurl": "https://en.wikipedia.org/wiki/Echo_sounding",
            },
        ]
    },
}


def _article(place: int, title: str, extract: str, english: str = "") -> dict[str, Any]:
    """Return an article of the Chinese encyclopaedia, with a link to the English one where there is one."""
    address = f"https://zh.wikipedia.org/wiki/{quote(title)}"
    link = {"lang": "en", "url": f"https://en.wikipedia.org/wiki/{english.replace(' ', '_')}", "title": english}
    return {
        "pageid": place,
        "ns": 0,
        "title": title,
        "index": place,
        "extract": extract,
        "fullurl": address,
        "canonicalurl": address,
    } | ({"langlinks": [link]} if english else {})


WIKIPEDIA_CHINESE: dict[str, Any] = {
    "batchcomplete": True,
    "query": {
        "pages": [
            _article(1, "回声测深", "回声测深用声音测量水深。", "Echo sounding"),
            _article(2, "测深锤", "测深锤是系在绳上的重物。", "Sounding line"),
            _article(3, "测深船", "测深船测量水深。"),
        ]
    },
}
OPENALEX: dict[str, Any] = {
    "meta": {"count": 2, "page": 1, "per_page": 5},
    "results": [
        {
            "id": "https://openalex.org/W1",
            "doi": "https://doi.org/10.1234/Echo.1",
            "display_name": "Depths by <i>echo</i>",
            "publication_date": "2020-03-01",
            "publication_year": 2020,
            "primary_location": {
                "landing_page_url": "https://doi.org/10.1234/echo.1",
                "license": None,
                "source": {"display_name": "Journal of Soundings"},
            },
            "best_oa_location": {"pdf_url": "https://repository.example/echo.pdf", "license": "cc-by"},
            "open_access": {"is_oa": True, "oa_url": "https://repository.example/echo"},
            "authorships": [
                {"author": {"display_name": "Ada Sounder"}, "author_position": "first"},
                {"author": {"display_name": "Ben Weight"}, "author_position": "last"},
            ],
            "cited_by_count": 41,
            "abstract_inverted_index": {
                "Sound": [0],
                "travels": [1],
                "to": [2, 5],
                "the": [3],
                "floor,": [4],
                "return.": [6],
            },
        },
        {
            "id": "https://openalex.org/W2",
            "doi": None,
            "display_name": "Weights on a wire",
            "publication_date": None,
            "publication_year": 1899,
            "primary_location": None,
            "best_oa_location": None,
            "open_access": {"is_oa": False, "oa_url": None},
            "authorships": [],
            "cited_by_count": 0,
            "abstract_inverted_index": {"Wire": [0], "sinks.": [1]},
        },
    ],
}
CROSSREF: dict[str, Any] = {
    "status": "ok",
    "message-type": "work-list",
    "message": {
        "total-results": 2,
        "items": [
            {
                "DOI": "10.1234/ECHO.1",
                "URL": "https://doi.org/10.1234/echo.1",
                "title": ["Depths by <i>echo</i>"],
                "abstract": "<jats:title>Abstract</jats:title><jats:p>Sound travels &lt; 2 s to the floor.</jats:p>"
                "<jats:p>The <jats:italic>time</jats:italic> gives the depth.</jats:p>",
                "author": [
                    {"given": "Ada", "family": "Sounder", "sequence": "first"},
                    {"name": "The Wire Survey", "sequence": "additional"},
                ],
                "container-title": ["Journal of Soundings"],
                "issued": {"date-parts": [[2020, 3, 1]]},
                "is-referenced-by-count": 40,
                "license": [{"URL": "https://creativecommons.org/licenses/by/4.0/", "content-version": "vor"}],
            },
            {
                "DOI": "10.1234/wire.2",
                "URL": "https://doi.org/10.1234/wire.2",
                "title": ["Weights on a wire"],
                "issued": {"date-parts": [[None]]},
                "is-referenced-by-count": 0,
            },
        ],
    },
}
_ENTRY = """<entry>
    <id>http://arxiv.org/abs/2003.00001v2</id>
    <updated>2020-04-01T00:00:00Z</updated>
    <published>2020-03-01T12:00:00Z</published>
    <title>Depths by
  echo</title>
    <summary>  Sound travels to the floor
and returns.
</summary>
    <author><name>Ada Sounder</name><arxiv:affiliation xmlns:arxiv="http://arxiv.org/schemas/atom">Wire</arxiv:affiliation></author>
    <author><name>Ben Weight</name></author>
    <arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1234/echo.1</arxiv:doi>
    <arxiv:journal_ref xmlns:arxiv="http://arxiv.org/schemas/atom">J. Soundings 3 (2020)</arxiv:journal_ref>
    <link title="doi" href="http://dx.doi.org/10.1234/echo.1" rel="related"/>
    <link href="http://arxiv.org/abs/2003.00001v2" rel="alternate" type="text/html"/>
    <link title="pdf" href="http://arxiv.org/pdf/2003.00001v2" rel="related" type="application/pdf"/>
    <category term="physics.ao-ph" scheme="http://arxiv.org/schemas/atom"/>
  </entry>"""
_FEED = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <link href="http://arxiv.org/api/query?search_query=x" rel="self" type="application/atom+xml"/>
  <title type="html">ArXiv Query: search_query=x</title>
  <id>http://arxiv.org/api/x</id>
  <opensearch:totalResults xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">1</opensearch:totalResults>
  {entries}
</feed>"""
ARXIV = _FEED.replace("{entries}", _ENTRY).encode()
ARXIV_ERROR = _FEED.replace(
    "{entries}",
    "<entry><id>http://arxiv.org/api/errors#max_results</id><title>Error</title><summary>max_results must be an integer</summary>"
    '<link href="http://arxiv.org/api/errors" rel="alternate" type="text/html"/></entry>',
).encode()
EUROPEPMC: dict[str, Any] = {
    "version": "6.9",
    "hitCount": 2,
    "resultList": {
        "result": [
            {
                "id": "11",
                "source": "MED",
                "doi": "10.1234/echo.1",
                "title": "Depths by <i>echo</i>.",
                "authorList": {"author": [{"fullName": "Sounder A"}, {"collectiveName": "The Wire Survey"}]},
                "journalInfo": {"journal": {"title": "Journal of Soundings"}, "yearOfPublication": 2020},
                "pubYear": "2020",
                "abstractText": "<h4>Background</h4>Sound travels to the floor.<h4>Results</h4>It returns.",
                "isOpenAccess": "Y",
                "citedByCount": 12,
                "license": "cc by",
                "firstPublicationDate": "2020-03-01",
                "fullTextUrlList": {
                    "fullTextUrl": [
                        {"availabilityCode": "S", "documentStyle": "doi", "url": "https://doi.org/10.1234/echo.1"},
                        {
                            "availabilityCode": "OA",
                            "documentStyle": "html",
                            "url": "https://europepmc.org/articles/PMC11",
                        },
                        {
                            "availabilityCode": "OA",
                            "documentStyle": "pdf",
                            "url": "https://europepmc.org/articles/PMC11?pdf=render",
                        },
                    ]
                },
            },
            {
                "id": "22 x",
                "source": "PPR",
                "title": "Weights on a wire.",
                "pubYear": "1899",
                "abstractText": "Wire sinks.",
            },
        ]
    },
}
SEMANTIC_SCHOLAR: dict[str, Any] = {
    "total": 2,
    "offset": 0,
    "data": [
        {
            "paperId": "ab1",
            "externalIds": {"DOI": "10.1234/ECHO.1", "CorpusId": 5},
            "url": "https://www.semanticscholar.org/paper/ab1",
            "title": "Depths by echo",
            "abstract": "Sound travels to the floor and returns.",
            "venue": "Journal of Soundings",
            "year": 2020,
            "publicationDate": "2020-03-01",
            "citationCount": 39,
            "openAccessPdf": {"url": "https://repository.example/echo.pdf", "status": "GREEN", "license": "CCBY"},
            "authors": [{"authorId": "1", "name": "Ada Sounder"}],
        },
        {
            "paperId": "ab2",
            "externalIds": {},
            "url": "https://www.semanticscholar.org/paper/ab2",
            "title": "Weights on a wire",
            "abstract": None,
            "venue": "",
            "year": 1899,
            "publicationDate": None,
            "citationCount": 0,
            "openAccessPdf": {"url": "", "status": "CLOSED", "license": None},
            "authors": [],
        },
    ],
}

FORMS: dict[str, Form] = {
    "wikipedia": Form(
        "/w/api.php",
        "gsrsearch",
        WIKIPEDIA,
        {"batchcomplete": True},
        limit="gsrlimit",
        needs={
            "action": "query",
            "format": "json",
            "formatversion": "2",
            "generator": "search",
            "inprop": "url",
            "lllang": "en",
            "llprop": "url",
        },
    ),
    "openalex": Form(
        "/works",
        "search",
        OPENALEX,
        {"meta": {"count": 0}, "results": []},
        limit="per_page",
        key=("?api_key", "{key}"),
    ),
    "crossref": Form(
        "/works",
        "query.bibliographic",
        CROSSREF,
        {"status": "ok", "message": {"total-results": 0, "items": []}},
        limit="rows",
    ),
    "arxiv": Form("/api/query", "search_query", ARXIV, _FEED.replace("{entries}", "").encode(), limit="max_results"),
    "europepmc": Form(
        "/europepmc/webservices/rest/search",
        "query",
        EUROPEPMC,
        {"version": "6.9", "hitCount": 0, "resultList": {"result": []}},
        limit="pageSize",
        needs={"format": "json", "resultType": "core"},
    ),
    "semanticscholar": Form(
        "/graph/v1/paper/search",
        "query",
        SEMANTIC_SCHOLAR,
        {"total": 0, "offset": 0},
        limit="limit",
        key=("x-api-key", "{key}"),
    ),
}
