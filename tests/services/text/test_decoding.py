"""The encoding of a text is told from what it says, whatever the language."""

import pytest

from services.search.files.content_type import decode_page
from services.text.decoding import decode
from services.text.languages import direction, is_written_in, locale_of

TEXTS = {
    "German": "Die Müllabfuhr in Köln begann im März 1895 mit dreißig Wagen. Die Kosten trugen die Bürger über höhere Gebühren.",
    "French": "Le phare fut achevé en 1611. Élevé à l'embouchure, il guidait les navires dès la tombée de la nuit, même l'été.",
    "Czech": "Stavba přehrady začala v roce 1925 a trvala šest let. Dělníci přicházeli ze všech koutů země, často s rodinami.",
    "Polish": "Żegluga na Wiśle rozpoczęła się wcześnie. Społeczność miejska świętowała to wydarzenie przez trzy dni.",
    "Turkish": "Köprünün yapımı 1970 yılında başladı ve üç yıl sürdü. Açılışından sonra şehrin gelişmesini hızlandırdı.",
    "Russian": "Строительство железной дороги началось в 1891 году. Рабочие получали небольшую плату, а зимой был мороз.",
    "Greek": "Το λιμάνι του Πειραιά άρχισε να λειτουργεί το 1834. Τα πρώτα πλοία έφτασαν από τη Σύρο και την Ύδρα.",
    "Hebrew": "הנמל הישן של יפו שימש אלפי שנים. בשנת 1936 נפתח נמל חדש בתל אביב, ורוב האוניות עברו אליו.",
    "Arabic": "بدأ العمل في القناة عام 1859 واستمر عشر سنوات. شارك في الحفر آلاف العمال من القرى المجاورة.",
    "Thai": "การก่อสร้างทางรถไฟสายแรกเริ่มขึ้นในปี 2434 รถไฟวิ่งจากกรุงเทพไปยังอยุธยา",
    "Japanese": "横浜港は1859年に開港した。最初の年に入港した船は二十隻ほどで、生糸と茶が主な輸出品だった。",
    "Korean": "부산항은 1876년에 문을 열었다. 처음에는 작은 어선이 드나들었지만, 곧 큰 상선이 들어오기 시작했다.",
    "simplified Chinese": "上海港于1843年开埠。最初几年进港的船只不多，主要出口茶叶和生丝。灯塔在第二年建成。",
    "traditional Chinese": "基隆港於1863年開港。最初幾年進港的船隻不多，主要出口煤炭和茶葉。燈塔在第二年建成。",
}
ENCODINGS = [
    ("German", "cp1252"), ("German", "mac_roman"), ("French", "latin-1"), ("Czech", "cp1250"), ("Polish", "cp1250"),
    ("Polish", "iso8859_2"), ("Turkish", "cp1254"), ("Russian", "cp1251"), ("Russian", "koi8_r"), ("Russian", "cp866"),
    ("Greek", "cp1253"), ("Hebrew", "cp1255"), ("Arabic", "cp1256"), ("Thai", "cp874"), ("Japanese", "cp932"),
    ("Japanese", "euc_jp"), ("Japanese", "iso2022_jp"), ("Korean", "cp949"), ("simplified Chinese", "gb18030"),
    ("traditional Chinese", "big5"), ("traditional Chinese", "gb18030"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "encoding"), ENCODINGS)
@pytest.mark.parametrize("lines", [1, 40], ids=["sentence", "below a table in English"])
def test_a_text_is_read_in_the_encoding_in_which_it_makes_words(language: str, encoding: str, lines: int) -> None:
    text = "Name;Year;Number of entries\n" * (lines - 1) + TEXTS[language]
    data = text.encode(encoding)
    assert decode(data)[0] == text
    assert decode_page(data, None, html=False) == text


@pytest.mark.parametrize("language", ["German", "Japanese", "Korean", "simplified Chinese"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be"])
def test_unicode_is_known_with_and_without_a_mark(language: str, encoding: str) -> None:
    assert decode(TEXTS[language].encode(encoding))[0] == TEXTS[language]


@pytest.mark.parametrize("data", [bytes(range(256)) * 8, b"\x89PNG\r\n\x1a\n" + b"\0\1\2" * 400])
def test_what_is_binary_is_no_text(data: bytes) -> None:
    with pytest.raises(ValueError, match="binary"):
        decode(data)


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
