"""Which names mean this very machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_loopback(host: str | None) -> bool:
    """Whether a host name or address, without a port, is this machine's own."""
    name = (host or "").rstrip(".").lower()
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False


def host_of(authority: str) -> str | None:
    """Give the host of `host:port`; None for what is neither that nor a bare host."""
    try:
        parts = urlsplit(f"//{authority}")
        parts.port  # noqa: B018 - raises for a port that is no number
    except ValueError:
        return None
    return parts.hostname if parts.netloc == authority and "@" not in authority else None
