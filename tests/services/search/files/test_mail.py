"""Mails are read with all their texts, in the right characters."""

from email.message import EmailMessage
from pathlib import Path

import pytest

from services.search.files.convert_office import convert
from services.text.passages import split

_PART = b"--b\r\nContent-Type: text/%s; charset=utf-8\r\n\r\n%s\r\n"
_KINDS = ((b"plain", b"One."), (b"html", b"<p>Two.</p>"), (b"plain", b"Three."))
_PARTS = b"".join(_PART % part for part in _KINDS) + b"--b--\r\n"


@pytest.mark.parametrize(
    ("kind", "text", "encoding", "read"),
    [
        ("text/plain", "Preis für Bögen: 4 €", "utf-8", "Preis für Bögen: 4 €"),
        ("text/plain; charset=gb2312", "朱镕基先生说", "gbk", "朱镕基先生说"),
        ("text/plain; charset=unknown-8bit", "Preis für Bögen", "cp1252", "Preis für Bögen"),
        ("multipart/mixed; boundary=b", _PARTS.decode(), "utf-8", "One.\n\nTwo.\n\nThree."),
        ("multipart/alternative; boundary=b", _PARTS.decode(), "utf-8", "One.\n\nThree."),
    ],
)
def test_every_text_of_a_mail_is_read_in_its_characters(kind: str, text: str, encoding: str, read: str) -> None:
    head = f"Subject: Bögen\r\nContent-Type: {kind}\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
    mail = convert("a.eml", head.encode() + text.encode(encoding))
    assert (mail["title"], mail["text"]) == ("Bögen", f"Subject: Bögen\n\n{read}")


def test_a_subject_is_read_by_the_encoding_that_it_names() -> None:
    written = "=?gb2312?B?1uzpRrv5?= =?utf-8?Q?_f=C3=BCr?=\r\n all"
    assert convert("a.eml", f"Subject: {written}\r\n\r\nText.".encode())["title"] == "朱镕基 für all"


def test_a_mail_of_outlook_has_its_date_its_page_and_its_attachments() -> None:
    mail = convert("a.msg", (Path(__file__).parent / "samples" / "discount.msg").read_bytes())
    assert (mail["title"], mail["card"]["published"], mail["note"]) == ("Discount of Ferro", "2024-05-07", "")
    table = "| Item | Price |\n| --- | --- |\n| Bolt | 1.25 |"
    assert mail["text"].endswith(f"+0000\n\nThe discount is 7 percent.\n\n# prices.csv\n\n{table}")


def test_what_an_attachment_says_stands_below_its_name() -> None:
    mail = EmailMessage()
    mail["Subject"] = "说明"
    mail.set_content("附件请查收。")
    for name in ("附件一：水质检测.csv", "附件二：投资（2024）.csv"):
        mail.add_attachment("项目,万元\n管网,7\n泵站,9\n".encode(), "text", "csv", filename=name)
    read = convert("a.eml", mail.as_bytes())
    below = [passage.heading for passage in split(read["text"])]
    assert (read["title"], below) == ("说明", ["", "附件一：水质检测.csv", "附件二：投资（2024）.csv"])


def test_a_mail_within_a_mail_is_read_below_its_subject() -> None:
    outer, inner = EmailMessage(), EmailMessage()
    inner["Subject"], inner["Cc"] = "Deposit", "Ann <ann@a.example>"
    inner.set_content("The deposit is 12,000 euros.")
    inner.add_attachment(b"PK", "application", "zip", filename="more.zip")
    outer["Subject"] = "FW"
    outer.set_content("See below.")
    outer.add_attachment(inner)
    read = convert("a.eml", outer.as_bytes())
    below = "# Deposit\n\nSubject: Deposit\nCc: Ann <ann@a.example>\n\nThe deposit is 12,000 euros.\n\n# more.zip"
    assert read["text"].strip() == f"Subject: FW\n\nSee below.\n\n{below}"
