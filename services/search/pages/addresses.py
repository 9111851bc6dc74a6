"""Decides which addresses may be read: valid public addresses, and hosts that the operator allows by name.

A page that a search found must not lead the reader to the machine's own services, to its network or to a cloud's
metadata. So URLs are read strictly (what a browser would repair is refused), and each address that a name resolves to
is judged by the IANA special-purpose registries, addresses inside addresses included.
"""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self
from urllib.parse import quote, urlsplit

import idna

from services.run.errors import PageRefused, SettingsError
from services.run.ui_text import say, told

PORTS = {"http": 80, "https": 443}
MAX_URL = 4_000
_IN_PATH = "/%!$&'()*+,;=:@~"
_IN_QUERY = _IN_PATH + "?[]|"
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMERIC = re.compile(r"\d+|0x[0-9a-f]*")
_PRIVATE_NAMES = frozenset(
    "localhost localdomain local internal intranet private lan corp home arpa onion svc consul".split()
)
"""Top-level names that never belong to public sites; `local` and `internal` belong to devices and clouds."""

_IPV4 = [
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 "
        "192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 "
        "203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32"
    ).split()
]
"""Special-purpose IPv4 networks (RFC 6890 and its registry), and the one public address with a cloud's metadata."""
_IPV6_GLOBAL = ipaddress.IPv6Network("2000::/3")
_IPV6 = list(map(ipaddress.IPv6Network, "2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20".split()))
"""Parts of global unicast IPv6 without hosts: Teredo, ORCHID and benchmarks, documentation, 6to4, AS112."""
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class HostAllowance:
    """Private hosts and hosts on other ports that the operator allows."""

    entries: frozenset[tuple[str, int | None]] = frozenset()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a list such as `wiki.intranet, 10.0.0.7:8080, [::1]:8000`; without a port, all ports of the host are allowed.

        Raises:
            SettingsError: an entry is neither a host nor a host with a port.
        """
        entries = set()
        for entry in filter(None, (part.strip().lower() for part in text.split(","))):
            try:
                ipaddress.IPv6Address(entry)
                host, port = entry, None
            except ValueError:
                match = re.fullmatch(r"(\[[0-9a-f:.]+\]|[^\s:/\[\]@]+)(?::(\d{1,5}))?", entry)
                if match is None:
                    raise SettingsError(**told("hosts_invalid", entry=entry)) from None
                host, port = match[1].strip("[]"), int(match[2]) if match[2] else None
            entries.add((host.rstrip("."), port))
        return cls(frozenset(entries))

    def covers(self, host: str, port: int) -> bool:
        """Tell whether this host and port may be read regardless of its address."""
        return not self.entries.isdisjoint({(host, port), (host, None)})


@dataclass(frozen=True, slots=True)
class Target:
    """A parsed URL: requests use exactly the parts that were checked."""

    scheme: str
    host: str
    """In ASCII and lower case, without brackets and trailing dot."""
    port: int
    path: str
    """Path and query in their encoded form."""

    @property
    def authority(self) -> str:
        """Host for the URL and the Host header, with the port unless it is the scheme's default."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme and authority."""
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        """URL without a fragment."""
        return f"{self.origin}{self.path}"


def shown(url: str) -> str:
    """Return a URL for a message: printable, truncated, and without a possible password."""
    printable = "".join(char if char.isprintable() else "?" for char in url)
    hidden = re.sub(r"//[^/?#]*@", "//…@", printable)
    return hidden if len(hidden) <= 200 else f"{hidden[:199]}…"


def target_of(url: str, allowance: HostAllowance) -> Target:
    """Parse a URL and check all that can be checked without a DNS lookup.

    Raises:
        PageRefused: it is not a valid http or https URL of a public host, or its port is not 80 or 443.
    """
    target, problem = judged(url, allowance)
    if target is None:
        raise PageRefused(say("page_address", url=shown(url), reason=problem))
    return target


def judged(url: str, allowance: HostAllowance) -> tuple[Target | None, str]:
    """Return the target of a URL, or None and the reason why it may not be read, as far as that needs no DNS lookup."""
    try:
        target = _parse(url)
    except ValueError as error:
        return None, str(error)
    problem = None if allowance.covers(target.host, target.port) else _name_problem(target)
    return (None, problem) if problem else (target, "")


def is_public(url: str, allowance: HostAllowance) -> bool:
    """Tell whether an address passes the checks that need no DNS lookup."""
    return judged(url, allowance)[0] is not None


def _parse(url: str) -> Target:
    url = url.strip(" ")
    if len(url) > MAX_URL:
        raise ValueError(say("address_long", limit=MAX_URL))
    if any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 or char == "\\" for char in url):
        raise ValueError(say("address_control"))
    match = re.match(r"(https?)://([^/?#]*)", url, re.IGNORECASE)
    if match is None:
        raise ValueError(say("address_scheme"))
    authority = match[2]
    if "@" in authority:
        raise ValueError(say("address_user"))
    if "%" in authority or any(char.isspace() for char in authority):
        raise ValueError(say("address_escapes"))
    scheme = match[1].lower()
    bracketed = re.fullmatch(r"\[([0-9A-Fa-f:.]+)\](?::(\d{1,5}))?", authority)
    plain = re.fullmatch(r"([^\[\]:]+)(?::(\d{1,5}))?", authority)
    if bracketed:
        host, port = _ipv6(bracketed[1]), bracketed[2]
    elif plain:
        host, port = _host(plain[1]), plain[2]
    else:
        raise ValueError(say("address_host"))
    number = int(port) if port else PORTS[scheme]
    if not 0 < number < 65_536:
        raise ValueError(say("address_no_port"))
    split = urlsplit(url)
    path, query = quote(split.path or "/", safe=_IN_PATH), quote(split.query, safe=_IN_QUERY)
    return Target(scheme, host, number, f"{path}?{query}" if query else path)


def _ipv6(text: str) -> str:
    try:
        return ipaddress.IPv6Address(text).compressed
    except ValueError:
        raise ValueError(say("address_ipv6")) from None


def _host(text: str) -> str:
    """Return the normal form of a host, mapped as in browsers (full-width digits, other dots), after checking it."""
    if text.isascii():
        host = text.lower()
    else:
        try:
            host = idna.encode(text, uts46=True).decode("ascii").lower()
        except (idna.IDNAError, UnicodeError):
            raise ValueError(say("address_no_name")) from None
    host = host.removesuffix(".")
    labels = host.split(".")
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise ValueError(say("address_no_name"))
    if _NUMERIC.fullmatch(labels[-1]):
        try:
            return str(ipaddress.IPv4Address(host))
        except ValueError:
            raise ValueError(say("address_number")) from None
    return host


def _name_problem(target: Target) -> str | None:
    if target.port not in PORTS.values():
        return say("address_port", port=str(target.port))
    try:
        address = ipaddress.ip_address(target.host)
    except ValueError:
        labels = target.host.split(".")
        if len(labels) < 2 or labels[-1] in _PRIVATE_NAMES:
            return say("address_private_name", host=target.host)
        return None
    return address_problem(address)


def addresses_problem(addresses: Iterable[str]) -> str | None:
    """Return the reason why a name's resolved addresses may not be connected to; None if all are public."""
    for text in addresses:
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            return say("address_plain", address=text)
        if problem := address_problem(address):
            return problem
    return None


def address_problem(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> str | None:
    """Return the reason why an address is not that of a public host; None if it is."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.scope_id is not None:
            return say("address_zone", address=address)
        embedded = _embedded(address)
        if embedded is not None:
            return address_problem(embedded)
        public = address in _IPV6_GLOBAL and not any(address in network for network in _IPV6)
        # ISATAP hides an IPv4 address in the interface part of any prefix (RFC 5214).
        isatap = (int(address) >> 32) & 0xFDFFFFFF == 0x5EFE
        return None if public and not isatap else say("address_private", address=address)
    if any(address in network for network in _IPV4) or not address.is_global:
        return say("address_private", address=address)
    return None


def _embedded(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the actual IPv4 target of an address: the mapped address, or the address behind a NAT64."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None
