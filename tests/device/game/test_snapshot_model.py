"""A snapshot has the shape of its model in every state, whole and redacted; the types of the page are made from it."""

import json
from typing import Any

import pytest
from pydantic import ConfigDict, TypeAdapter

from device.game.redaction import redact
from device.game.snapshot import TrayMetadata, snapshot_body
from device.game.snapshot_model import PAGE_TYPES, Open, Snapshot, open_fields, page_types
from device.game.state.events import ResetPressed
from device.game.state.linked_rolls import LinkKind
from device.game.state.states import Empty
from device.game.state.table_events import LinkedRollsRequested, RollRequested
from device.game.state.table_state import Pool, Table
from device.game.state.tray import Tray
from rules.system import systems
from tests.device.game.sample_states import die, play, rest, states
from tests.narrowing import english

METADATA = TrayMetadata("simulated", None, {"base": "yellow"})


SHAPE = TypeAdapter(list[Snapshot], config=ConfigDict(extra="forbid", strict=True))


def check(body: Any) -> None:
    SHAPE.validate_json(json.dumps([english(body)]))


def of_every_system() -> dict[str, Tray]:
    found: dict[str, Tray] = {}
    for system in systems():
        table = Table(system.id, pool=Pool(((system.pool_roles[0], 2),)), colour_classes=("base",))
        found[f"{system.id} declared"] = Tray(Empty(), table)
        found[f"{system.id} scored"] = play(
            Tray(Empty(), Table(system.id)), rest(die(1, "base", 6), die(2, "base", 1))
        )[0]
    return found


def linked(*, hidden: bool) -> Tray:
    """Two sides that have rolled, the second one hidden or not."""
    request = LinkedRollsRequested(LinkKind.OPPOSED, (RollRequested("Ann"), RollRequested("Bo", hidden=hidden)))
    first, second = (rest(*(die(die_id, "base", 6, moved=True) for die_id in ids)) for ids in ((1, 2), (3,)))
    return play(Tray(Empty(), Table("push-pool")), request, first, ResetPressed(), rest(), second)[0]


STATES = {
    **states(),
    **of_every_system(),
    "linked": linked(hidden=False),
    "linked hidden": linked(hidden=True),
}


@pytest.mark.parametrize("name", STATES)
def test_every_state_has_the_shape_of_the_model(name: str) -> None:
    body: Any = snapshot_body(3, STATES[name], METADATA)
    check(body)
    check(redact(body | {"hidden": True, "covered": True}))


@pytest.mark.parametrize("name", STATES)
def test_a_field_that_redaction_does_not_know_is_hidden(name: str) -> None:
    body: Any = snapshot_body(3, STATES[name], METADATA)
    body |= {"hidden": True, "secret": 6}
    hidden = [(rolls, [one for one in rolls["members"] if one["hidden"]]) for rolls in body["together"]]
    linked = [part for rolls, members in hidden if members for part in (rolls, *members)]
    for part in (*body["dice"], *body["typed_dice"], body["push"], body["awaiting"], *linked):
        if part is not None:
            part["secret"] = 6
    assert "secret" not in json.dumps(english(redact(body)))


def test_a_field_added_to_the_model_is_hidden_until_it_is_opened() -> None:
    class More(Snapshot):
        secret: int
        opened: Open[int]

    assert open_fields(More) == open_fields(Snapshot) | {"opened"}


def test_the_types_of_the_page_are_made_from_the_model() -> None:
    assert PAGE_TYPES.read_text(encoding="utf-8") == page_types(), "run python -m device.game.snapshot_model"
