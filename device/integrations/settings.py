"""Settings of the connection to a broker, and validation of addresses. Keys are secrets."""

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field, SecretStr

from device.section import section

_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
"""Characters allowed in a level of a topic; also Home Assistant's rule for ids."""
_TOPIC = re.compile(r"[A-Za-z0-9_-]{1,40}(/[A-Za-z0-9_-]{1,40}){0,3}")
_LABEL = r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_HOST = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(\.{_LABEL})*\.?|(?=[^:]*:)[0-9A-Fa-f:.]{{2,45}}")
"""A name whose parts are short enough for a lookup, or an address."""
_MAX_TEXT = 60


@section
class MqttSettings:
    """An MQTT broker that gets the tray's state and each result.

    Attributes:
        host: The broker's name or address; without it, the tray doesn't connect.
        port: Port of the broker; brokers use 1883, with TLS 8883.
        tls: Use TLS. The broker's certificate must be known to this machine, or be signed by `ca_file`.
        ca_file: A file with the certificate that signs the broker's.
        user: User name of the tray at the broker, if it requires one.
        password: Password of the user.
        base: Beginning of every topic. Trays of a club share it.
        tray: Name of this tray in topics, unique at the broker; without it, a name stored in the data folder.
        name: Name of this tray for people; without it the same as `tray`.
        discovery: Let Home Assistant find the tray.
        discovery_prefix: Beginning of Home Assistant's discovery topics.
        commands: Accept Push and Reset from the broker. Anyone who may write to it can then press them.
        club: Subscribe to the other trays on this broker, and show them on `/club`.
    """

    host: str = ""
    port: Annotated[int, Field(ge=1, le=65535)] = 1883
    tls: bool = False
    ca_file: str = ""
    user: str = ""
    password: SecretStr | None = None
    base: str = "pushtray"
    tray: str = ""
    name: str = ""
    discovery: bool = False
    discovery_prefix: str = "homeassistant"
    commands: bool = False
    club: bool = False

    def __post_init__(self) -> None:
        if self.host and not _HOST.fullmatch(self.host):
            raise ValueError(f"host is {self.host!r}: write a name or an address alone, without mqtt:// or port")
        for key, topic in (("base", self.base), ("discovery_prefix", self.discovery_prefix)):
            if not _TOPIC.fullmatch(topic):
                raise ValueError(f"{key} is {topic!r}: use letters, digits, - and _, and / between parts")
        if self.tray and not _NAME.fullmatch(self.tray):
            raise ValueError(f"tray is {self.tray!r}: use up to 40 letters, digits, - and _")
        for key, text in (("name", self.name), ("user", self.user)):
            if len(text) > _MAX_TEXT or not text.isprintable():
                raise ValueError(f"{key} is {text[:_MAX_TEXT]!r}: use up to {_MAX_TEXT} letters on one line")

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}" if self.host else ""

    @property
    def where(self) -> str | None:
        return self.address or None


def secret_value(secret: SecretStr | None) -> str:
    """Return a secret as it is sent; empty if there is none."""
    return "" if secret is None else secret.get_secret_value()


def check_url(secret: SecretStr | None) -> None:
    url = secret_value(secret)
    if not url:
        return
    cure = "give one that begins with http:// or https:// and has a host"
    try:
        parts = urlsplit(url)
        is_fine = parts.scheme in ("http", "https") and _HOST.fullmatch(parts.hostname or "") is not None
        is_fine = is_fine and (parts.port is None or parts.port > 0)
    except ValueError:
        is_fine = False
    if not is_fine or not url.isascii() or not url.isprintable() or " " in url or len(url) > 2000:
        raise ValueError(f"url is not an address that can be posted to: {cure}")
    if parts.username is not None:
        raise ValueError("url has a user in it: put a key into its path or query, or sign with a secret")
