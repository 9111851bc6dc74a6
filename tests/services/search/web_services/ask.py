"""A search of a twin, as the tests of this folder make it."""

from typing import Any

from services.search.web_services.client import ServiceSearch
from services.search.web_services.service import services
from tests.fakes.search_services.twin import KEY, Twin


def search_of(name: str, twin: Twin, **options: Any) -> ServiceSearch:
    """Return the search of a service at its twin, with a key where it takes one and without the pause between requests."""
    service = services()[name].model_copy(update={"pause": 0.0, "pause_with_key": None})
    key = options.pop("key", KEY if service.key != "none" else None)
    return ServiceSearch(service, key, twin.address, **options)
