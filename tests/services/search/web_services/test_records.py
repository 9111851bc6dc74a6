"""Records of services: the built-in ones are whole, and a mistake in an operator's file is named."""

from pathlib import Path
from string import Template

import pytest
from pydantic import TypeAdapter

from schemas.clean_text import clean_address
from schemas.options import SEARCH_WORDS, SearchPlace
from services.run.errors import BadInput
from services.search.web_services.client import ServiceSearch
from services.search.web_services.service import OWN_CLIENTS, read_services, services
from tests.conftest import PROJECT
from tests.fakes.search_services.forms import FORMS
from tests.fakes.search_services.twin import Form, twin

OWN = """
[library]
title = "Our library"
address = "$address"
path = "/find"
key = "optional"
key_setting = "LIBRARY_KEY"
headers = { X-Token = "{key}" }
parameters = { text = "{query}", size = "{limit}" }
results = "books"
[library.fields]
url = "https://library.example/{shelf.number}"
title = ["name", "signature"]
snippet = "blurb"
authors = "by"
"""


def own(tmp_path: Path, text: str = OWN, address: str = "https://library.example") -> Path:
    file = tmp_path / "services.toml"
    file.write_text(Template(text).substitute(address=address))
    return file


def test_every_service_has_a_twin_and_says_where_its_terms_are() -> None:
    assert services().keys() == FORMS.keys()
    assert all(clean_address(service.terms) for service in services().values())


def test_every_built_in_address_is_encrypted_and_no_operators() -> None:
    for service in services().values():
        assert service.address.startswith("https://") or service.name == "searxng"


async def test_a_service_of_ones_own_is_a_record_in_a_file(tmp_path: Path) -> None:
    book = {"shelf": {"number": "7/a b"}, "signature": "S 7", "blurb": "Of depths.", "by": ["Ada", "Ben"]}
    form = Form("/find", "text", {"books": [book]}, {"books": []}, limit="size")
    with twin(form) as served:
        record = services(own(tmp_path, address=served.address))["library"]
        (hit,) = await ServiceSearch(record, "secret").search("sea depths", 3)
    assert served.asked == [{"text": "sea depths", "size": "3"}]
    assert served.headers[0]["X-Token"] == "secret"
    assert (hit.url, hit.title, hit.text) == ("https://library.example/7/a%20b", "S 7", "Of depths.")
    assert hit.publication is not None
    assert hit.publication.authors == ("Ada", "Ben")


def test_ones_own_record_stands_in_for_a_built_in_one(tmp_path: Path) -> None:
    file = own(tmp_path, OWN.replace("library]", "openalex]").replace("library.fields", "openalex.fields"))
    assert services(file)["openalex"].title == "Our library"
    assert services(file).keys() == services().keys()
    assert services()["openalex"].title == "OpenAlex"


@pytest.mark.parametrize(
    ("written", "instead", "named"),
    [
        ('title = "Our library"', "", "library.title .*missing"),
        ('title = "Our library"', 'titel = "Our library"', "library.titel"),
        ("$address", "javascript:alert(1)", "library.address"),
        ("$address", "https://{query}.example", "library.address"),
        ('path = "/find"', 'path = "find?x=1"', "library.path"),
        ('"{query}"', '"{qeury}"', r"library.parameters .*no placeholder \{qeury\}"),
        ('"{query}"', '"words"', r"no parameter holds \{query\}"),
        ('"{limit}"', '"{limit"', "library.parameters"),
        ('"{key}"', '"{token}"', r"library.headers.X-Token .*no placeholder \{token\}"),
        ('key_setting = "LIBRARY_KEY"', "", "key_setting is missing"),
        ('key = "optional"', 'key = "maybe"', "library.key "),
        ('results = "books"', 'results = "books..all"', "library.results"),
        ('results = "books"', 'results = "books"\npause = -1', "library.pause"),
        ('results = "books"', 'results = "books"\nempty = ["total"]', r"library.empty.0"),
        ('results = "books"', 'results = "books"\nkinds = ["weather"]', "library.kinds"),
        ('snippet = "blurb"', 'snippet = "a[b"', "library.fields.snippet"),
        ('title = ["name", "signature"]', "title = []", "library.fields.title"),
        ("[library.fields]", "[library.felder]", "library.felder .*no field of this name"),
        ("[library]", "[Library One]", "is not valid TOML"),
        ("[library]", "[LIBRARY]", "LIBRARY"),
        ("[library]", "library = 7\n[other]", "library is no table|is not valid TOML"),
        ("[library]", '[library]\nname = "x"', "library.name"),
    ],
)
def test_a_mistake_is_named_with_file_service_and_field(tmp_path: Path, written: str, instead: str, named: str) -> None:
    assert written in OWN
    with pytest.raises(BadInput, match=named) as caught:
        read_services(own(tmp_path, OWN.replace(written, instead, 1)))
    message = str(caught.value)
    assert "services.toml" in message
    assert "\n" not in message


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"missing\.toml cannot be read"):
        read_services(tmp_path / "missing.toml")
    file = tmp_path / "latin.toml"
    file.write_bytes(b'title = "\xe9"')
    with pytest.raises(BadInput, match=r"latin\.toml is not valid TOML"):
        read_services(file)
    file.write_bytes(b"#" * 1_000_001)
    with pytest.raises(BadInput, match="too long"):
        read_services(file)


def test_the_record_in_the_guide_is_one(tmp_path: Path) -> None:
    guide = (PROJECT / "docs/search.md").read_text("utf-8")
    (tmp_path / "services.toml").write_text(guide.partition("```toml\n")[2].partition("```")[0])
    [(name, service)] = read_services(tmp_path / "services.toml").items()
    assert f"--search {name}" in guide
    assert service.missing(None, None) == "SHIPYARDS_KEY"


def test_the_guide_has_each_search_and_what_it_needs() -> None:
    guide = (PROJECT / "docs/search.md").read_text("utf-8")
    rows = {line.split("`")[1]: line for line in guide.splitlines() if line.startswith("| `")}
    for name, service in services().items():
        needed = [setting for setting in (service.key_setting, service.address_setting) if setting]
        assert all(setting in rows[name] for setting in needed), name
        assert ("LEADLINE_CONTACT" in rows[name]) == service.sends_contact, name
    offered = TypeAdapter(SearchPlace).json_schema()["examples"]
    assert offered == [*SEARCH_WORDS, *OWN_CLIENTS, *services()]
    assert set(offered) - {"auto", "documents", "none"} <= rows.keys()
