"""Addresses of servers."""

import httpx

PORTS = range(1, 65_536)
"""Valid ports."""


def is_url(location: str) -> bool:
    """Return whether the location of a store or a game server is a URL of HTTP rather than a folder or a name."""
    return location.lower().startswith(("http://", "https://"))


def is_address(url: str) -> bool:
    """Return whether a URL of HTTP has a valid host, and no user, password, query or fragment, which may be secret."""
    try:
        parsed = httpx.URL(url)
        parsed.host.encode("idna")  # as sockets do
    except (httpx.InvalidURL, UnicodeError):
        return False
    is_plain = not (parsed.userinfo or parsed.query or parsed.fragment)
    is_http = parsed.scheme in {"http", "https"} and bool(parsed.host)
    return is_plain and is_http and (parsed.port is None or parsed.port in PORTS)
