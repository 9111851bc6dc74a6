"""Properties of addresses: however a private number is written it is refused, and what passes reads the same everywhere."""

import ipaddress
from urllib.parse import urlsplit

import httpx
from hypothesis import given, settings
from hypothesis import strategies as st

from services.run.errors import PageRefused
from services.search.pages.addresses import HostAllowance, addresses_problem, target_of

PRIVATE = [
    "127.0.0.0/8",
    "10.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "100.64.0.0/10",
    "0.0.0.0/8",
]
NOTHING = HostAllowance()


@st.composite
def private_numbers(draw: st.DrawFn) -> int:
    network = ipaddress.IPv4Network(draw(st.sampled_from(PRIVATE)))
    return int(network.network_address) + draw(st.integers(0, network.num_addresses - 1))


@st.composite
def written(draw: st.DrawFn, number: int) -> str:
    """Write an IPv4 number in one of the ways that `inet_aton` takes: one to four parts, each in any base."""
    parts = draw(st.integers(1, 4))
    values = [number >> (24 - 8 * place) & 0xFF for place in range(parts - 1)]
    values.append(number & ((1 << (8 * (5 - parts))) - 1))
    bases = draw(st.lists(st.sampled_from(["{}", "0{:o}", "0x{:x}", "0X{:X}", "000{:o}", "0x00{:x}"]), min_size=4))
    return ".".join(base.format(value) for base, value in zip(bases, values, strict=False)) + draw(
        st.sampled_from(["", "."])
    )


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.data(), private_numbers(), st.sampled_from(["http", "https"]))
def test_a_private_number_is_refused_in_every_form(data: st.DataObject, number: int, scheme: str) -> None:
    host = data.draw(written(number))
    try:
        target_of(f"{scheme}://{host}/", NOTHING)
    except PageRefused:
        return
    msg = f"{host} passed"
    raise AssertionError(msg)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(private_numbers(), st.sampled_from(["::ffff:0:0", "64:ff9b::", "2002::", "2001::", "::"]))
def test_a_private_number_inside_an_ipv6_address_is_refused(number: int, prefix: str) -> None:
    place = 80 if prefix == "2002::" else 0
    address = ipaddress.IPv6Address(int(ipaddress.IPv6Address(prefix)) | number << place)
    assert addresses_problem([str(address)])


@settings(derandomize=True, max_examples=300, deadline=None)
@given(
    st.sampled_from(["http://", "https://", "HTTP://", "http:/", "//", ""]),
    st.text(st.sampled_from("abz019.-_:@/\\?#[]%&=é。１ⓐ\u00ad\u200b\t \x00"), max_size=24),
)
def test_what_passes_reads_the_same_to_every_reader(start: str, rest: str) -> None:
    try:
        target = target_of(start + rest, NOTHING)
    except PageRefused:
        return
    assert (urlsplit(target.url).hostname, httpx.URL(target.url).raw_host.decode()) == (target.host, target.host)
    assert target.port in {80, 443}
    assert target_of(target.url, NOTHING) == target
    assert target.path.isascii()
    assert target.path.isprintable()
    assert " " not in target.path
