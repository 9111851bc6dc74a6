"""Hostile addresses: whatever their form, none is connected to."""

import ipaddress
import socket

import pytest

from services.run.errors import PageRefused, SettingsError
from services.search.pages.addresses import HostAllowance, addresses_problem, target_of
from services.search.pages.reader import PageReader
from tests.fakes.site import Site
from tests.services.search.pages.conftest import Internet

HOSTILE = """
http://127.0.0.1/ http://127.0.0.1:80/ http://127.1/ http://127.0.1/ http://127.255.255.254/ http://2130706433/
http://017700000001/ http://0x7f000001/ http://0x7F.1/ http://0177.0.0.1/ http://0177.0.0.01/ http://0x7f.0x0.0x0.0x1/
http://00000177.0.0.1/ http://127.0.0.1./ http://127.0.0.0x1/ http://0/ http://0.0.0.0/ http://0x0/ http://00.0.0.0/
http://3232235777/ http://10.0.0.1/ http://10.255.255.255/ http://172.16.0.1/ http://172.31.255.255/
http://192.168.0.1/ http://192.168.1.1./ http://169.254.169.254/latest/meta-data/ http://169.254.169.254./
http://2852039166/ http://0xA9FEA9FE/ http://0251.0376.0251.0376/ http://0xa9.0xfe.0xa9.0xfe/ http://169.254.43518/
http://100.64.0.1/ http://100.100.100.200/ http://168.63.129.16/ http://192.0.0.192/ http://192.0.2.1/
http://198.18.0.1/ http://198.51.100.7/ http://203.0.113.9/ http://224.0.0.1/ http://239.255.255.250/
http://240.0.0.1/ http://255.255.255.255/ http://192.88.99.1/ http://192.175.48.1/ http://192.31.196.1/ http://192.52.193.1/
http://[::1]/ http://[::]/ http://[0:0:0:0:0:0:0:1]/ http://[::ffff:127.0.0.1]/ http://[::ffff:7f00:1]/
http://[::ffff:169.254.169.254]/ http://[::127.0.0.1]/ http://[64:ff9b::7f00:1]/ http://[64:ff9b::169.254.169.254]/
http://[64:ff9b:1::a00:1]/ http://[2002:7f00:1::]/ http://[2002:a9fe:a9fe::1]/ http://[2001:0:7f00:1::1]/
http://[2001:db8::1]/ http://[fe80::1]/ http://[fe80::1%25eth0]/ http://[fe80::1%eth0]/ http://[fc00::1]/
http://[fd00:ec2::254]/ http://[ff02::1]/ http://[fec0::1]/ http://[2001:470::5efe:7f00:1]/ http://[100::1]/
http://[3fff::1]/ http://[5f00::1]/ http://[::1]:443/ http://[127.0.0.1]/ http://[::1/ http://::1/
http://localhost/ http://localhost./ http://LOCALHOST/ http://a.localhost/ http://localhost.localdomain/
http://metadata.google.internal/computeMetadata/v1/ http://kubernetes.default.svc/ http://printer.local/
http://router.lan/ http://db.internal/ http://wiki.corp/ http://nas.home.arpa/ http://intranet/ http://hidden.onion/
http://user@127.0.0.1/ http://user:password@example.com/ http://example.com@127.0.0.1/ http://@127.0.0.1/
http://example.com:80@127.0.0.1/ http://example.com\\@127.0.0.1/ http://127.0.0.1\\@example.com/ http:\\\\127.0.0.1/
http://127.0.0.1%2f@example.com/ http://%31%32%37.0.0.1/ http://127%2e0%2e0%2e1/ http://example.com%00.evil.com/
http://１２７.０.０.１/ http://127。0。0。1/ http://①②⑦.⓪.⓪.①/ http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/ http://ｌｏｃａｌｈｏｓｔ/ http://loc\u00adalhost/
http://169｡254｡169｡254/ http://example.com:22/ http://example.com:8080/ http://example.com:6379/ http://example.com:0/
http://example.com:99999/ http://example.com:-1/ http://example.com:80:80/ http://example..com/ http://.example.com/
http://-example.com/ http:///etc/passwd http:/127.0.0.1/ http:127.0.0.1 //127.0.0.1/ 127.0.0.1 file:///etc/passwd
ftp://example.com/ gopher://127.0.0.1:70/ dict://127.0.0.1:2628/ ldap://127.0.0.1/ javascript:alert(1)
data:text/html,hello unix:///var/run/docker.sock jar:http://127.0.0.1/ about:blank http://
""".split()
HOSTILE += [
    "", " ", "http://exa mple.com/", "http://example.com\t@127.0.0.1/", "http://127.0.0.1\n/", "http://127.0.0.1\x00/",
    "http://example.com/\r\nHost: 127.0.0.1", "http://127.0.0.1\u00a0/", f"http://example.com/{'a' * 5_000}",
    f"http://{'a' * 70}.com/", f"http://{'a.' * 130}com/",
]  # fmt: skip

PRIVATE_ANSWERS = """
127.0.0.1 0.0.0.0 10.1.2.3 172.20.0.1 192.168.5.5 169.254.169.254 100.64.0.1 198.18.0.1 224.0.0.251 240.0.0.1
255.255.255.255 192.0.0.8 168.63.129.16 ::1 :: ::ffff:10.0.0.1 ::ffff:127.0.0.1 64:ff9b::a00:1 2002:a00:1:: 2001::1
fe80::1 fe80::1%eth0 fc00::1 fd12:3456::1 ff02::1 2001:db8::1 not-an-address 0177.0.0.1
""".split()


async def literal_only(host: str, port: int) -> list[str]:
    """Resolve as the system does, without asking anybody: numbers in every form, and no names."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    return [str(address[0]) for *_, address in found]


async def test_a_hostile_address_is_refused_before_any_look_up_or_connection(
    internet: Internet, outside: PageReader
) -> None:
    for url in HOSTILE:
        with pytest.raises(PageRefused, match="is not read"):
            await outside.read(url)
        assert (internet.looked_up, internet.dialled) == ([], []), url


@pytest.mark.parametrize("host", ["127.0.0.1", "0x7f.1", "2130706433", "0177.0.0.1", "localhost", "[::1]"])
async def test_this_machine_is_not_read_with_the_real_resolver_and_dialler(host: str, served: Site) -> None:
    served.page("/", "<p>Private.</p>")
    async with PageReader(HostAllowance()) as reader:
        with pytest.raises(PageRefused):
            await reader.read(f"http://{host}:{served.port}/")
    assert served.asked == []


async def test_a_number_that_slipped_past_the_reader_of_addresses_is_caught_at_the_connection(
    internet: Internet,
) -> None:
    from services.search.pages.guard import GuardedBackend

    guard = GuardedBackend(HostAllowance(), literal_only, internet)
    for host in ("2130706433", "0x7f.1", "0177.0.0.1", "127.1", "::1", "::ffff:127.0.0.1"):
        with pytest.raises(PageRefused):
            await guard.connect_tcp(host, 80)
    with pytest.raises(PageRefused):
        await guard.connect_unix_socket("/var/run/docker.sock")
    assert internet.dialled == []


async def test_a_public_name_with_a_private_address_is_refused(internet: Internet, outside: PageReader) -> None:
    for place, address in enumerate(PRIVATE_ANSWERS):
        internet.names[f"site{place}.example"] = [["93.184.215.14", address]]
        with pytest.raises(PageRefused, match=rf"site{place}\.example is not read"):
            await outside.read(f"http://site{place}.example/")
        assert internet.dialled == [], address


@pytest.mark.parametrize(
    "address",
    ["93.184.215.14", "2606:2800:21f:cb07::1", "::ffff:93.184.215.14", "64:ff9b::5db8:d70e", "2001:4860:4860::8888"],
)
def test_public_addresses_are_public(address: str) -> None:
    assert addresses_problem([address]) is None


def test_every_special_network_that_python_knows_is_refused_too() -> None:
    for step in range(0, 2**32, 2**18 + 12_345):
        address = ipaddress.IPv4Address(step)
        if not address.is_global or address.is_multicast:
            assert addresses_problem([str(address)])


@pytest.mark.parametrize(
    ("url", "read_as"),
    [
        ("HTTP://Example.COM", "http://example.com/"),
        ("https://example.com:443/a?b=c#d", "https://example.com/a?b=c"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("http://example.com./", "http://example.com/"),
        ("https://bücher.example/ä b", "https://xn--bcher-kva.example/%C3%A4%20b"),
        (
            "https://例子.example/路径?查询=词",
            "https://xn--fsqu00a.example/%E8%B7%AF%E5%BE%84?%E6%9F%A5%E8%AF%A2=%E8%AF%8D",
        ),
        ("https://en.example/wiki/A_(b)%20c?x=1&y=[2]", "https://en.example/wiki/A_(b)%20c?x=1&y=[2]"),
        ("http://93.184.215.14/", "http://93.184.215.14/"),
        ("http://[2606:2800:21F:CB07:0:0:0:1]/", "http://[2606:2800:21f:cb07::1]/"),
        ("http://a_b.example/", "http://a_b.example/"),
        ("http://example.com?x", "http://example.com/?x"),
    ],
)
def test_ordinary_addresses_are_read_as_browsers_read_them(url: str, read_as: str) -> None:
    assert target_of(url, HostAllowance()).url == read_as


def test_the_operator_allows_hosts_and_ports_by_name() -> None:
    allowed = HostAllowance.parse("wiki.intranet, 10.0.0.7:8080,[::1]:8000, fd00::7,")
    for url in (
        "http://wiki.intranet/", "https://wiki.intranet/", "http://wiki.intranet:8080/", "http://10.0.0.7:8080/", "http://[::1]:8000/", "http://[fd00::7]/"
    ):  # fmt: skip
        assert target_of(url, allowed).url == url
    for url in ("http://docs.wiki.intranet/", "http://10.0.0.7/", "http://10.0.0.8:8080/", "http://[::1]/"):
        with pytest.raises(PageRefused):
            target_of(url, allowed)


@pytest.mark.parametrize("text", ["http://wiki", "a b", "host:port", "user@host", "[::1"])
def test_an_allowance_that_cannot_be_read_says_how_to_write_it(text: str) -> None:
    with pytest.raises(SettingsError, match="LEADLINE_ALLOW_PRIVATE_HOSTS"):
        HostAllowance.parse(text)


async def test_the_allowance_comes_from_the_environment(served: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    from services.run.settings import settings

    monkeypatch.setenv("LEADLINE_ALLOW_PRIVATE_HOSTS", served.host)
    settings.cache_clear()
    async with PageReader() as reader:
        page = await reader.read(served.page("/", "<title>Inside</title><p>The wiki says that wire is thin.</p>"))
    assert page.text == "The wiki says that wire is thin."


def test_a_refusal_shows_no_password() -> None:
    with pytest.raises(PageRefused) as caught:
        target_of("http://user:hunter2@example.com/", HostAllowance())
    assert "hunter2" not in str(caught.value)
