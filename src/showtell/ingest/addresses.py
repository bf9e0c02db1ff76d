"""Which network addresses a fetch may reach: public ones. Everything else is named by what it is."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address

# What `ipaddress` of Python 3.11 takes for public although it is not (IANA special-purpose address registries), and
# the one metadata service that lies at a public address (Azure's).
_SPECIAL = tuple(
    (ip_network(network), kind)
    for network, kind in (
        ("168.63.129.16/32", "a cloud metadata address"),
        ("192.0.0.0/24", "a reserved address"),
        ("192.88.99.0/24", "a reserved address"),
        ("100.64.0.0/10", "a private address"),
        ("64:ff9b:1::/48", "a private address"),
        ("3fff::/20", "a reserved address"),
        ("5f00::/16", "a reserved address"),
    )
)
_NAT64 = ip_network("64:ff9b::/96")  # RFC 6052
_COMPATIBLE = ip_network("::/96")  # RFC 4291, section 2.5.5.1
_LAST_LABEL = re.compile(r"(?:\d+|0[xX][0-9a-fA-F]*)\Z")
_NAME = re.compile(r"[a-z0-9_](?:[a-z0-9._-]{0,252})\Z")


def refusal(address: str) -> str:
    """What keeps an IP address from being fetched from, such as "a private address"; "" for a public one.

    An IPv6 address that carries an IPv4 one (mapped, compatible, 6to4, NAT64) is judged by that.
    """
    return _refusal(ip_address(address))


def _refusal(address: Address) -> str:
    carried = _carried(address)
    if carried is not None:
        return _refusal(carried)
    for network, kind in _SPECIAL:
        if address.version == network.version and address in network:
            return kind
    kinds = (
        (address.is_unspecified, "the unspecified address"),
        (address.is_loopback, "a loopback address"),
        (address.is_link_local, "a link-local address, as cloud metadata has"),
        (address.is_multicast, "a multicast address"),
        (address.is_private, "a private address"),
        (address.is_reserved or getattr(address, "is_site_local", False), "a reserved address"),
        (not address.is_global, "not a public address"),
    )
    return next((kind for holds, kind in kinds if holds), "")


def _carried(address: Address) -> IPv4Address | None:
    if isinstance(address, IPv4Address):
        return None
    if address.ipv4_mapped or address.sixtofour:
        return address.ipv4_mapped or address.sixtofour
    if int(address) > 1 and any(_within(address, network) for network in (_NAT64, _COMPATIBLE)):
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return None


def _within(address: IPv6Address, network: object) -> bool:
    return isinstance(network, IPv6Network) and address in network


def is_plain_host(host: str) -> bool:
    """Whether a host is a name or an IP address in its usual spelling.

    ``2130706433``, ``0x7f.1``, ``127.1`` and ``0177.0.0.1`` are none: systems read them differently.
    """
    try:
        ip_address(host)
    except ValueError:
        return bool(_NAME.match(host)) and not _LAST_LABEL.match(host.rstrip(".").rpartition(".")[2])
    return "%" not in host
