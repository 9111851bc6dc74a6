"""The language of a question by its script, and the direction of its letters."""

import pytest

from services.text.languages import direction, is_written_in, locale_of


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("Когда открылся порт?", "ru-RU"),
        ("متى افتتحت القناة؟", "ar"),
        ("מתי נפתח הנמל?", "he-IL"),
        ("รถไฟสายแรกเริ่มเมื่อใด", "th-TH"),
        ("बंदरगाह कब खुला?", "hi-IN"),
        ("부산항은 언제 문을 열었는가?", "ko-KR"),
        ("港はいつ開いたか", "ja-JP"),
        ("港口何时开放？", "zh-CN"),
        ("When did the port of Μ open?", "en-US"),
    ],
)
def test_the_language_is_told_from_the_script(text: str, locale: str) -> None:
    assert locale_of(text) == locale


def test_the_direction_is_that_of_most_letters() -> None:
    assert direction("הנמל של Tel Aviv נפתח בשנת 1936") == "rtl"
    assert direction("The word הנמל means port") == "ltr"
    assert direction("1936") == "ltr"


@pytest.mark.parametrize(
    ("text", "may_be"),
    [
        ("Vier Schiffe loteten 9.000 Meter. ship, year, depth: HMS Penguin, USS Nero, SMS Planet, SMS Emden", True),
        ("The line cost 241 million euros, more than was planned for it in 2015.", False),
        ("La ligne a coûté 241 millions, et le conseil est avec les riverains.", False),
        ("青线耗资2.41亿欧元。", False),
    ],
)
def test_only_another_language_s_words_tell_that_a_text_is_not_german(text: str, may_be: bool) -> None:
    assert is_written_in(text, "de-DE") is may_be


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("把 `apollo.refreshInterval` 改为 ConfigService 的周期，并重启 AdminService 与 PortalService。", True),
        ("The config service notifies its clients of releases (配置发布), which then fetch them.", False),
    ],
)
def test_a_chinese_text_may_have_more_letters_in_names_than_signs(text: str, written: bool) -> None:
    assert is_written_in(text, "zh-CN") is written
    assert is_written_in(text, "en-US") is not written
