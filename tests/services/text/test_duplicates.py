"""Copies count as one; articles on one subject do not."""

import time

import pytest

from services.text.copies import HASHES, MAX_COMPARED, fingerprint, is_copy, may_be_copy, may_overlap, similarity


def copies(one: str, other: str) -> bool:
    """Decide as a gathering does: the signatures propose, the texts decide, whichever of them comes first."""
    decided = is_copy(one, other)
    assert decided == is_copy(other, one)
    return may_be_copy(fingerprint(one), fingerprint(other)) and decided


def test_a_signature_is_the_same_in_every_process() -> None:
    assert fingerprint("the lead line measures the depth of the sea")[:16] == "0ffc81623169cf63"


def test_a_text_too_short_to_compare_is_no_copy_of_anything() -> None:
    assert fingerprint("depth") == ""


def test_the_signature_of_a_text_that_is_too_long_to_be_compared_is_of_its_beginning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("services.text.copies.MAX_COMPARED", len(RELEASE))
    assert fingerprint(RELEASE + ARTICLE) == fingerprint(RELEASE) != fingerprint(RELEASE[:-100])
    assert not may_be_copy("", "")


def country(name: str, capital: str, people: str, area: str, year: int) -> str:
    """Return a page of an encyclopedia of countries: every country's is written like the others."""
    return (
        f"# {name}\n\n{name} is a country in Europe and a member of the European Union, of the United Nations and of the "
        f"Council of Europe. The capital and the largest city of the country is {capital}, where the parliament and the "
        f"government have their seats and where the national bank keeps its reserves.\n\nAccording to the census, the "
        f"population of the country is {people}, which is counted anew every ten years by the national statistical office "
        f"and published in its yearbook. The area of the country is {area} square kilometres, including all inland waters "
        f"but without the territorial sea. The country joined the union in {year}, after a referendum in which a majority "
        "of the voters had said yes, and it has held the rotating presidency of the council several times since then.\n\n"
        "The figures on this page come from the national statistical office. They are updated once a year, and all "
        "figures are rounded. Readers who find a mistake are asked to write to the editors of the encyclopedia.\n"
    )


def match(home: str, away: str, score: str, scorer: str) -> str:
    """Return a report of a match."""
    return (
        f"# {home} against {away}\n\nIt was a cold evening, and the stands were full to the last seat when the referee blew "
        f"the whistle. The match ended {score} after a long second half in which both sides had their chances and hit the "
        f"post. {scorer} scored the goal that decided the match shortly before the end, with a shot from the edge of the area. "
        "The coach said afterwards that the team had worked hard for it, and that the next match would be harder still.\n"
    )


def chinese(country: str, capital: str, people: str) -> str:
    """Return a page on a country in Chinese."""
    return (
        f"# {country}概况\n\n{country}位于欧洲，是欧洲联盟成员国，也是联合国和欧洲委员会的成员国。首都是{capital}，议会和政府都设在那里，"
        f"国家银行也在那里保管储备。根据人口普查，全国人口为{people}人，由国家统计局每十年重新统计一次，并在年鉴中公布。"
        "本页的数字来自国家统计局，每年更新一次，所有数字均经过四舍五入。读者如发现错误，欢迎写信告知百科全书的编辑。"
        "全国实行九年义务教育，公立学校不收学费，医疗保险覆盖全体居民，退休年龄由议会立法规定。\n"
    )


PORTUGAL = country("Portugal", "Lisbon", "10,467,366", "92,230", 1986)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (PORTUGAL, country("Austria", "Vienna", "9,104,772", "83,879", 1995)),
        (PORTUGAL, country("Portugal", "Lisbon", "10,562,178", "92,230", 1986)),
        (PORTUGAL, PORTUGAL.replace("had said yes", "had not said yes")),
        (match("Lions", "Bears", "2:1", "Okafor"), match("Wolves", "Hawks", "3:2", "Lindqvist")),
        (chinese("葡萄牙", "里斯本", "1046万"), chinese("奥地利", "维也纳", "910万")),
        (chinese("葡萄牙", "里斯本", "1046万"), chinese("葡萄牙", "波尔图", "1046万")),
        (chinese("葡萄牙", "里斯本", "1046万"), chinese("葡萄牙", "里斯本", "1046万").replace("不收学费", "收取学费")),
    ],
)
def test_pages_of_one_template_with_other_facts_are_no_copies(one: str, other: str) -> None:
    assert similarity(fingerprint(one), fingerprint(other)) > 0.3, "they are alike, or this shows nothing"
    assert not is_copy(one, other)
    assert not is_copy(other, one)


@pytest.mark.parametrize(
    "copy",
    [
        "By Maria Keller, 3 May 2024\n\n" + PORTUGAL,
        PORTUGAL.replace("# Portugal", "# A portrait of Portugal")
        + "\n\nPublished on 7 June 2024. © 2024 Morning Herald.\n",
        "\n".join(PORTUGAL.split("\n")[:-3]),
        PORTUGAL.replace(". ", ".\n").replace(" and ", "\nand "),
        PORTUGAL.replace("'", "’").replace("10,467,366", "10 467 366"),
        f"Morning Herald\n\n{PORTUGAL}\n\nRead more: ten towns by the sea\nSubscribe to our newsletter\n",
    ],
)
def test_a_copy_with_another_header_footer_or_line_breaks_is_one(copy: str) -> None:
    assert copies(PORTUGAL, copy)


def test_a_chinese_copy_with_other_notes_is_one() -> None:
    text = chinese("葡萄牙", "里斯本", "1046万")
    assert copies(text, f"来源：晨报　2024年5月3日\n\n{text}\n\n责任编辑：李明\n")


@pytest.mark.parametrize(
    "hostile", ["a b. " * 20_000, "。" * 100_000, " " * 100_000, "1,1," * 25_000, "# x\n" * 25_000, "By " * 33_000]
)
def test_hostile_texts_are_compared_in_time(hostile: str) -> None:
    begun = time.process_time()  # of this process alone, however busy the machine is
    is_copy(hostile, hostile[: len(hostile) // 2] + PORTUGAL)
    assert time.process_time() - begun < 2


RELEASE = (
    "Nordwerk has opened a plant for heat pumps at the harbour of Vell. The plant will make 40,000 pumps a year and employ 310 "
    "people, most of whom live in the town. The building took two years and cost 95 million euros, of which the state paid a "
    "tenth. The managing director thanked the mayor, the builders and the neighbours for their patience. The first pumps leave "
    "the plant in March and go to customers in Denmark and Norway. An extension by a third hall is planned for later."
)
ARTICLE = (
    "For a long time nobody believed that anything would be built on the old coal wharf again. "
    + RELEASE
    + " Our reporter met "
    "anglers at the wharf who are less glad. They fear the noise of lorries at night and point to the promises of former years. "
    "The local conservation group counts rare terns on the breakwater every spring, and asks for a fence before the birds return. "
    "The town has answered that an expert report is being drawn up. It is to be shown to the council in the summer, a spokesman says."
)


ANOTHER = (
    "A plant for heat pumps has begun its work in Vell. According to the town hall about three hundred women and men found a place "
    "there, and the wharf has a new purpose after decades. At the opening a brass band played, there was fish soup, and school "
    "children had painted pictures of warm houses. The opposition in the council criticised what the state paid for it, and wants "
    "to know which taxes the company is going to pay in the town. An answer has been promised for the autumn."
)


def test_a_remark_in_a_longer_text_is_not_its_release() -> None:
    remark = RELEASE[: RELEASE.index("The building")]
    assert not may_overlap(fingerprint(remark), fingerprint(ARTICLE))


def test_a_signature_that_does_not_say_how_long_its_text_is_can_be_compared() -> None:
    earlier = fingerprint(RELEASE)[: 8 * HASHES]
    assert similarity(earlier, fingerprint(RELEASE)) == 1
    assert may_overlap(earlier, fingerprint(RELEASE))
    assert not may_overlap(earlier, fingerprint(ARTICLE))


def test_a_text_too_long_to_be_compared_is_a_copy_of_the_same_text_alone() -> None:
    long = "The lead is cast. " * (MAX_COMPARED // 18 + 1)
    assert is_copy(long, f"{long}")
    assert not is_copy(long, f"{long} It is hauled in.")
