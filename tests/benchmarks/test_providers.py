"""The benchmark of several providers: how documents are dealt out, and that the product's own client finds them."""

from benchmarks.providers import DEALS, NAMES, TOGETHER, found, served


def test_each_deal_gives_a_document_to_as_many_services_as_it_says() -> None:
    counts = {deal: {len(holders(f"document-{place}")) for place in range(60)} for deal, holders in DEALS.items()}
    assert list(counts.values()) == [{1}, {1, 2}, {2}]


def test_no_service_has_everything_and_none_has_nothing() -> None:
    for holders in DEALS.values():
        held = [holders(f"document-{place}") for place in range(60)]
        assert all(0 < sum(name in one for one in held) < 60 for name in NAMES)


async def test_documents_of_all_services_are_found_side_by_side_and_only_its_own_by_one() -> None:
    titles = dict(zip(NAMES, ("Granite", "Basalt", "Slate"), strict=True))
    held = {
        name: [{"doc_id": name, "title": title, "text": f"{title} is a rock of the quarry at Sarn."}]
        for name, title in titles.items()
    }
    with served(held):
        first, brought = await found("Which rock is in the quarry at Sarn?", TOGETHER)
        alone, _ = await found("Which rock is in the quarry at Sarn?", "south")
    assert set(first) == brought == set(NAMES)
    assert alone == ["south"]
