"""The publisher and the kind of a source, by the rules of `source_kinds.toml`."""

import ipaddress
import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import get_args
from urllib.parse import unquote, urlsplit

from schemas.clean_text import clean_line
from schemas.evidence import SourceCategory, SourceKind

_RULES: dict[str, dict[str, list[str]]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
"""Read at import: hits are classified in the event loop, which must not read files."""
LONGEST_SITE = 60
"""Maximum characters of a site's name; longer names are slogans."""
LONGEST_URL = 4_000
_SECOND = frozenset("ac co com edu gob go gouv gov govt mil ne net or org".split())
"""Second-level labels before a country that nobody owns: `co` in bbc.co.uk."""
_NO_NAME = re.compile(r"[<>{}\[\]|\\^`]|://")


def site_of(url: str, kind: SourceKind, publisher: str = "") -> str:
    """Return the publisher's name of a source; empty if it is unknown.

    A page's own name of its site has the domain beside it that does not confirm it.
    """
    if kind == "web":
        domain, name = registrable(url), _plain(publisher)
        if not name or not domain:
            return domain or name
        return name if _borne_out(name, domain) else f"{name} ({domain})"
    scheme, _, rest = url.partition(":")
    return _plain(rest.partition("/")[0].partition("#")[0]) if scheme in {"tool", "database"} else ""


def category_of(url: str, claimed: SourceCategory = "general") -> SourceCategory:
    """Return the kind of a web source by its address, else the one that the page claims."""
    host, path = _host_and_path(url)
    if not host:
        return "general"
    categories: tuple[SourceCategory, ...] = get_args(SourceCategory)
    for category in categories:
        if any(_below(host, path, site) for site in _RULES.get(category, {}).get("hosts", ())):
            return category
    for category in categories:
        if any(_ends(host, ending) for ending in _RULES.get(category, {}).get("endings", ())):
            return category
    if claimed != "general":
        return claimed
    labels, parts = set(host.split(".")), set(path.split("/"))
    for category in categories:
        known = _RULES.get(category, {})
        if labels.intersection(known.get("labels", ())) or parts.intersection(known.get("paths", ())):
            return category
    return "general"


@lru_cache(maxsize=4_096)
def registrable(url: str) -> str:
    """Return the registrable domain of a host, such as `bbc.co.uk`; an IP address unchanged."""
    host, _ = _host_and_path(url)
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        labels = host.split(".")
    country = len(labels[-1]) == 2 and len(labels) > 2 and labels[-2] in _SECOND
    shared = any(_below(host, "", site) and host != site for site in _RULES["shared"]["hosts"])
    return ".".join(labels[-3 if country or shared else -2 :])


def owner_of(url: str, kind: SourceKind) -> str:
    """Return the owner of a source, which is the owner of its site.

    Papers and programs at one address have different authors, as have documents, tools and databases: each counts as
    its own owner.
    """
    if kind != "web":
        return url.partition("#")[0]
    host, path = _host_and_path(url)
    shared = any(_below(host, path, site) for name in ("academic", "code") for site in _RULES[name]["hosts"])
    return url if shared else registrable(url)


def _host_and_path(url: str) -> tuple[str, str]:
    try:
        split = urlsplit(url[:LONGEST_URL])
        host = (split.hostname or "").lower().strip(".").removeprefix("www.")
    except ValueError:
        return "", ""
    return (clean_line(host), split.path.lower()) if split.scheme in {"http", "https"} else ("", "")


def _below(host: str, path: str, site: str) -> bool:
    name, slash, start = site.partition("/")
    return (host == name or host.endswith(f".{name}")) and (not slash or path.startswith(f"/{start}"))


def _ends(host: str, ending: str) -> bool:
    labels, parts = host.split("."), ending.split(".")
    if parts[-1] == "*":
        return len(labels) >= len(parts) and len(labels[-1]) == 2 and labels[-2] == parts[0]
    return labels[-len(parts) :] == parts


def _plain(name: str) -> str:
    """Return a name on one line; empty if it is too long, has no letters, or is markup or an address."""
    if len(name) > 20 * LONGEST_SITE:
        return ""
    line = " ".join(clean_line(unquote(name)).split())
    plausible = len(line) <= LONGEST_SITE and not _NO_NAME.search(line) and any(map(str.isalpha, line))
    return line if plausible else ""


def _borne_out(name: str, domain: str) -> bool:
    """Tell whether a domain confirms a name: in full, by one of its words, or by its initials."""
    label = domain.partition(".")[0].replace("-", "")
    words = re.findall(r"[^\W_]+", name.lower())
    initials = "".join(word[0] for word in words if word not in {"of", "the", "and", "for"})
    whole = "".join(words)
    return label in {whole, whole.removeprefix("the")} or (len(label) > 2 and (label in words or label == initials))
