"""Refuses every connection that leaves this machine, in the tests and in every Python process that they start."""

import ipaddress
import socket

_connect, _connect_ex = socket.socket.connect, socket.socket.connect_ex


class OutsideConnectionError(AssertionError):
    """A test tried to reach something beyond loopback."""


def _check(one: socket.socket, address: object) -> None:
    if one.family not in {socket.AF_INET, socket.AF_INET6} or not isinstance(address, tuple):
        return
    host = str(address[0])
    try:
        loopback = ipaddress.ip_address(host.split("%", maxsplit=1)[0]).is_loopback
    except ValueError:
        loopback = host == "localhost"
    if not loopback:
        msg = f"the tests must not reach {host}"
        raise OutsideConnectionError(msg)


def _guarded_connect(self: socket.socket, address: object) -> None:
    _check(self, address)
    _connect(self, address)  # type: ignore[arg-type]  # the address is passed on as it came


def _guarded_connect_ex(self: socket.socket, address: object) -> int:
    _check(self, address)
    return _connect_ex(self, address)  # type: ignore[arg-type]  # the address is passed on as it came


socket.socket.connect = _guarded_connect  # type: ignore[method-assign,assignment]  # that is the guard
socket.socket.connect_ex = _guarded_connect_ex  # type: ignore[method-assign,assignment]  # that is the guard
