"""A channel on Discord: each result in one line without mentions."""

import re
from typing import Final

from device.integrations.http import HttpService
from device.integrations.outbox import Body
from device.section import section

DISCORD_MAX: Final = 2000
"""Maximum length of a Discord message in characters."""
_SUPPRESS_EMBEDS: Final = 4
"""Discord's flag for a message without previews of its links."""
_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~:@])")


@section
class DiscordSettings(HttpService):
    """A Discord channel that receives each result in one line.

    Attributes:
        url: The channel's webhook, from its settings under Integrations; without it nothing is posted.
    """

    def form(self, body: Body) -> Body:
        """Return a message in Discord's form: plain text without mentions, whatever players call themselves.

        Source: discord.com/developers, Execute Webhook and Allowed Mentions.
        """
        tray = body.get("tray")
        name = escaped(str(tray.get("name", ""))) if isinstance(tray, dict) else ""
        text = f"{name}: " * bool(name) + escaped(str(body.get("text", "")))
        if len(text) > DISCORD_MAX:
            # A backslash at the cut would escape nothing.
            text = text[: DISCORD_MAX - 1].rstrip("\\") + "…"
        return {"content": text, "allowed_mentions": {"parse": []}, "flags": _SUPPRESS_EMBEDS}


def escaped(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


SETTINGS = DiscordSettings
