"""A tray on MQTT: its topics, its state, and Home Assistant's discovery. Pure."""

from dataclasses import dataclass
from typing import Final

from device.body import BodyValue
from device.game.buttons import BUTTONS
from device.game.snapshot_model import SeenDie, Snapshot
from device.integrations.messages import Sender, other_facts
from device.integrations.outbox import Body
from device.texts.catalogue import in_language, translate

ONLINE: Final = "online"
OFFLINE: Final = "offline"


@dataclass(frozen=True, slots=True)
class Topics:
    base: str
    tray: str

    @property
    def availability(self) -> str:
        """`online` or `offline`, retained; the broker sets `offline` if the tray loses its connection."""
        return f"{self.base}/{self.tray}/availability"

    @property
    def state(self) -> str:
        return f"{self.base}/{self.tray}/state"

    @property
    def roll(self) -> str:
        """Each result as JSON, once."""
        return f"{self.base}/{self.tray}/roll"

    @property
    def last_roll(self) -> str:
        return f"{self.base}/{self.tray}/last_roll"

    @property
    def owner(self) -> str:
        """The tray that has this name, retained: another one may not take it while that one is online."""
        return f"{self.base}/{self.tray}/owner"

    @property
    def retained(self) -> tuple[str, ...]:
        return self.availability, self.state, self.last_roll, self.owner

    @property
    def claim(self) -> str:
        """Where a tray first claims its name."""
        return f"{self.base}/{self.tray}/claim"

    @property
    def forgotten(self) -> str:
        """Permanently deleted rolls, as JSON, for programs that still show them."""
        return f"{self.base}/{self.tray}/forgotten"

    @property
    def test(self) -> str:
        return f"{self.base}/{self.tray}/test"

    @property
    def command(self) -> str:
        """Where `push` and `reset` are accepted, if the settings allow it."""
        return f"{self.base}/{self.tray}/command"


def state_body(snapshot: Snapshot, sender: Sender) -> Body:
    """Return the part of a snapshot that is sent to others: player, state, dice, result; no picture and no sheet."""
    push, request, outcome, fault = (snapshot["push"], snapshot["asked"], snapshot["outcome"], snapshot["fault"])
    message: dict[str, BodyValue] = {
        "tray": sender.body,
        "state": snapshot["state"],
        "system": snapshot["system"],
        "system_title": snapshot["system_title"],
        "roll": snapshot["roll"],
        "problems": snapshot["problems"],
        "owner": None if request is None else request["owner"],
        "label": None if request is None else request["label"],
        "dice": [_die(die) for die in snapshot["dice"]],
        "outcome": None if outcome is None else {"headline": outcome["headline"], "success": outcome["success"]},
        "push": {"eligible": push["eligible"], "reason": push["reason"]},
        "fault": None if fault is None else fault["text"],
    }
    localized: Body = in_language(message, sender.language)
    return localized


def _die(die: SeenDie) -> Body:
    return {"role": die["role"], "colour": die["colour"], "value": die["value"], **other_facts(die)}


def discovery(prefix: str, topics: Topics, sender: Sender, *, with_buttons: bool) -> dict[str, Body | None]:
    """Return the tray's messages for Home Assistant's discovery.

    Source: home-assistant.io, MQTT discovery: `PREFIX/COMPONENT/OBJECT_ID/config` with the object's `unique_id`.
    """
    shared: Body = {
        "availability_topic": topics.availability,
        "payload_available": ONLINE,
        "payload_not_available": OFFLINE,
        "device": {
            "identifiers": [f"pushtray_{topics.tray}"],
            "name": sender.name,
            "manufacturer": "PushTray",
            "model": "PushTray",
        },
        "origin": {"name": "PushTray"},
    }
    found: dict[str, Body | None] = {}

    def add(component: str, what: str, body: Body | None) -> None:
        unique = f"pushtray_{topics.tray}_{what}"
        whole = None if body is None else {**shared, "unique_id": unique, **body}
        found[f"{prefix}/{component}/{unique}/config"] = in_language(whole, sender.language)

    add(
        "sensor",
        "state",
        {
            "name": translate("tray.message.entity.state"),
            "icon": "mdi:dice-multiple",
            "state_topic": topics.state,
            "value_template": "{{ value_json.state }}",
            "json_attributes_topic": topics.state,
        },
    )
    add(
        "sensor",
        "roll",
        {
            "name": translate("tray.message.entity.roll"),
            "icon": "mdi:dice-6",
            "state_topic": topics.last_roll,
            "value_template": "{{ value_json.text[:255] }}",
            "json_attributes_topic": topics.last_roll,
        },
    )
    add(
        "binary_sensor",
        "may_push",
        {
            "name": translate("tray.message.entity.may_push"),
            "icon": "mdi:hand-back-right",
            "state_topic": topics.state,
            "value_template": "{{ 'ON' if value_json.push.eligible else 'OFF' }}",
        },
    )
    for name, button in BUTTONS.items():
        title = translate(f"tray.message.entity.{name}")
        entity: Body = {"name": title, "icon": button.icon, "command_topic": topics.command, "payload_press": name}
        add("button", name, entity if with_buttons else None)
    return found
