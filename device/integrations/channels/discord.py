"""A channel on Discord: each result in one line that mentions nobody."""

import re
from typing import Final

from device.integrations.http import HttpService
from device.integrations.outbox import Body
from device.section import section

DISCORD_MOST: Final = 2000
"""Letters that Discord takes in one message."""
_SUPPRESS_EMBEDS: Final = 4
"""Discord's flag for a message whose links show nothing of what they lead to."""
_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~:@])")


@section
class DiscordSettings(HttpService):
    """A channel on Discord that is sent each result in one line.

    Attributes:
        url: The channel's webhook, from its settings under Integrations; without it nothing is posted.
    """

    def form(self, body: Body) -> Body:
        """Return a message as Discord takes it: plain text that mentions nobody, whatever players call themselves.

        Source: discord.com/developers, Execute Webhook and Allowed Mentions.
        """
        tray = body.get("tray")
        name = escaped(str(tray.get("name", ""))) if isinstance(tray, dict) else ""
        text = f"{name}: " * bool(name) + escaped(str(body.get("text", "")))
        if len(text) > DISCORD_MOST:
            # A backslash at the cut would have nothing left to escape.
            text = text[: DISCORD_MOST - 1].rstrip("\\") + "…"
        return {"content": text, "allowed_mentions": {"parse": []}, "flags": _SUPPRESS_EMBEDS}


def escaped(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


SETTINGS = DiscordSettings
