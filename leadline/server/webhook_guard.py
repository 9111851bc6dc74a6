"""Lets webhooks reach only what pages may be read from: one guard judges every address that the server calls for a user.

LangGraph's server resolves and checks the address of a webhook itself, when a run is made and again at each connection, redirects included.
But with `disable_private_ips` it lets through site-local addresses, those that carry a private IPv4 address inside (6to4, Teredo, ISATAP,
SIIT), and the address of a cloud's metadata in public space. It has no setting for more networks, so its check of one address is extended
here; `tests/server/test_outgoing.py` says when that is no longer needed.
"""

from functools import wraps

from leadline.server.api_client import on_aegra
from services.search.pages.addresses import addresses_problem


def guard_webhooks() -> None:
    """Extend the check in this process; an operator who does not set `disable_private_ips` keeps private addresses."""
    if on_aegra():
        return
    from langgraph_api.lc_security import SSRFBlockedError, SSRFPolicy, policy, transport

    checked = policy.validate_resolved_ip

    @wraps(checked)
    def check(address: str, rules: SSRFPolicy) -> None:
        checked(address, rules)
        if rules.block_private_ips and addresses_problem([address]):
            raise SSRFBlockedError("not a public address")

    policy.validate_resolved_ip = transport.validate_resolved_ip = check
