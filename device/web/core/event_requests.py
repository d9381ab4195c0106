"""Requests that map to one event: path, event and response.

A new one is an entry here, its event in `device.game.state`, and the event's case in the state table. Path and body are
the event's own fields, with the bounds of their types.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from functools import cached_property
from typing import Any, get_args, get_type_hints

from pydantic import BaseModel, create_model

from device.game.buttons import BUTTONS
from device.game.state import events as tray
from device.game.state import table_events as table
from device.game.state.bounds import NOT_ASKED
from device.game.state.events import DiceCorrected, DieCorrected, DieDismissed, Event
from device.web.core import bodies, rights, table_views
from device.web.core.sheet_edits import read_edit
from device.web.core.table_views import View


@dataclass(frozen=True)
class EventRequest:
    """A request that is one event.

    Attributes:
        says: The event, or, if the request has its own body, a function from path fields and body to the event.
    """

    route: str
    name: str
    make_event: Callable[..., Event]
    summary: str
    view: View | None = None
    status: int = 200
    has_seen: bool = False
    body: type[BaseModel] | None = None
    player: rights.Rule | None = None  # access rule of a player's phone; None: only the game master

    @property
    def method(self) -> str:
        return self.route.partition(" ")[0]

    @property
    def path(self) -> str:
        return self.route.partition(" ")[2]

    @cached_property
    def _types(self) -> Mapping[str, Any]:
        return get_type_hints(self.make_event, include_extras=True)

    @cached_property
    def in_path(self) -> Mapping[str, Any]:
        """Type of each event field in the path, by name."""
        return {name: self._types[name] for name in re.findall(r"{(\w+)}", self.path)}

    @cached_property
    def in_body(self) -> type[BaseModel] | None:
        """The body's model; None if the request has no body."""
        if self.body is not None:
            return self.body
        asked: dict[str, Any] = {
            field.name: (self._types[field.name], _default(field))
            for field in fields(self.make_event)  # type: ignore[arg-type]
            if field.name not in self.in_path and NOT_ASKED not in get_args(self._types[field.name])
        }
        base = bodies.VersionedBody if self.has_seen and self.method != "DELETE" else bodies.Body
        if not asked:
            return base if base is bodies.VersionedBody else None
        return create_model(self.make_event.__name__, __base__=base, __doc__=_about(self.make_event), **asked)

    def event(self, in_path: Mapping[str, Any], body: BaseModel | None) -> Event:
        if self.body is not None:
            return self.make_event(**in_path, said=body)
        said = {} if body is None else {name: getattr(body, name) for name in type(body).model_fields}
        said.pop("version", None)
        return self.make_event(**in_path, **said)


def _default(field: Field[Any]) -> Any:
    """Return a field's default; an ellipsis if it is required."""
    if field.default_factory is not MISSING:
        return field.default_factory()
    return ... if field.default is MISSING else field.default


def _about(event: Callable[..., Event]) -> str:
    return (event.__doc__ or "").partition("\n\n")[0]


def die_correction_event(die_id: int, said: bodies.Correction) -> Event:
    """Return the event that corrects or dismisses a die."""
    if said.ignored is None:
        return DieCorrected(die_id, said.value, said.colour)
    return DieDismissed(die_id, ignored=said.ignored)


def dice_corrections_event(said: bodies.Corrections) -> Event:
    """Return the event that corrects several dice."""
    return DiceCorrected(tuple(DieCorrected(word.id, word.value, word.colour) for word in said.dice))


def linked_rolls_event(said: bodies.LinkedRollsRequest) -> Event:
    """Return the event of linked rolls; values apply to members that do not override them."""
    rolls = tuple(
        table.RollRequested(
            one.owner,
            dice=one.dice,
            levels=one.levels,
            thrower=one.thrower,
            hidden=said.hidden if one.hidden is None else one.hidden,
        )
        for one in said.rolls
    )
    return table.RollsAsked(said.kind, rolls, said.label, said.aim)


OF_TRAY = (
    *(
        EventRequest(
            f"POST /api/{name}", name, type(button.event), button.summary, has_seen=True, player=rights.own_roll
        )
        for name, button in BUTTONS.items()
    ),
    EventRequest(
        "POST /api/undo",
        "undo",
        tray.UndoPressed,
        "Take back what was pressed last: `undo` of the state",
        player=rights.own_undo,
    ),
    EventRequest("PUT /api/system", "system", tray.SystemChosen, "Choose the rule system"),
    EventRequest(
        "PATCH /api/context",
        "context",
        tray.ContextSet,
        "Facts of the roll: attribute, gear bonus",
        player=rights.own_roll,
    ),
    EventRequest(
        "POST /api/dice",
        "add_die",
        tray.DieAdded,
        "Point out a die that the camera does not see",
        has_seen=True,
        player=rights.own_roll,
    ),
    EventRequest(
        "POST /api/confirm",
        "confirm",
        tray.DiceConfirmed,
        "Say that all dice are read right",
        has_seen=True,
        player=rights.own_roll,
    ),
    EventRequest(
        "DELETE /api/dice/{die_id}/correction",
        "restore",
        tray.DieRestored,
        "Take the camera's word for a die again",
        has_seen=True,
        player=rights.own_roll,
    ),
)
OF_TABLE = (
    EventRequest(
        "PUT /api/rulings/{system}",
        "choose_rulings",
        table.RulingsChosen,
        "Choose house rulings of one system; kept for this table",
        table_views.rulings_chosen,
    ),
    EventRequest(
        "PUT /api/roles/{system}",
        "choose_roles",
        table.RolesChosen,
        "Say what colour classes count as; kept for this table",
        table_views.roles_chosen,
    ),
    EventRequest(
        "POST /api/asked",
        "ask_roll",
        table.RollRequested,
        "Ask for a roll: whose it is, what for, which dice to take; it waits while another has its turn",
        player=rights.own_asking,
    ),
    EventRequest(
        "POST /api/asked/together",
        "ask_together",
        linked_rolls_event,
        "Ask for an opposed roll or a group's: rolled one after another, compared at the end",
        body=bodies.LinkedRollsRequest,
    ),
    EventRequest(
        "POST /api/asked/{asked_id}/show",
        "show_hidden",
        table.HiddenRollShown,
        "Show a hidden roll, and those that it is compared with",
    ),
    EventRequest(
        "DELETE /api/asked/{asked_id}",
        "drop_asked",
        table.AskedRollDropped,
        "Take an asked roll back",
        player=rights.own_asked,
    ),
    EventRequest(
        "POST /api/typed-dice",
        "type_die",
        table.ManualDieEntered,
        "Type in what a die shows that no camera reads",
        player=rights.own_roll,
    ),
    EventRequest(
        "PATCH /api/typed-dice/{die_id}",
        "change_typed_die",
        table.TypedDieChanged,
        "Change a typed face, or type it in again for a push",
        has_seen=True,
        player=rights.own_roll,
    ),
    EventRequest(
        "DELETE /api/typed-dice/{die_id}",
        "remove_typed_die",
        table.TypedDieRemoved,
        "Take a typed die away",
        has_seen=True,
        player=rights.own_roll,
    ),
    EventRequest(
        "PUT /api/series",
        "begin_series",
        table.ExtendedTestBegun,
        "Begin a test over several rolls: each finished roll from now on belongs to it",
    ),
    EventRequest("DELETE /api/series", "end_series", table.ExtendedTestEnded, "Put the test away, finished or not"),
    EventRequest(
        "PUT /api/sheets/chosen",
        "choose_sheet",
        table.SheetChosen,
        "Use a sheet from now on, or none",
        table_views.sheets,
        player=rights.own_choice,
    ),
    EventRequest(
        "PUT /api/sheets/carry",
        "choose_carry",
        table.CarryChosen,
        "Carry consequences over with a tap, or by themselves",
        table_views.sheets,
    ),
    EventRequest(
        "PATCH /api/sheets/{sheet_id}",
        "edit_sheet",
        read_edit,
        "Change a sheet by hand",
        table_views.sheet,
        body=bodies.SheetEdit,
        player=rights.own_sheet,
    ),
    EventRequest(
        "DELETE /api/sheets/{sheet_id}", "remove_sheet", table.SheetRemoved, "Throw a sheet away", table_views.sheets
    ),
    EventRequest(
        "POST /api/sheets/{sheet_id}/carry",
        "carry",
        table.ConsequencesCarried,
        "Carry the result's consequences over to this sheet",
        table_views.carried,
        has_seen=True,
        player=rights.own_result,
    ),
    EventRequest(
        "POST /api/sheets/{sheet_id}/undo",
        "undo_sheet",
        table.SheetUndone,
        "Take the latest change of this sheet back",
        table_views.sheet,
        player=rights.own_sheet,
    ),
    EventRequest(
        "POST /api/sheets/{sheet_id}/rest",
        "rest_sheet",
        table.SheetRested,
        "Let this character rest",
        table_views.sheet,
        player=rights.own_sheet,
    ),
    EventRequest("POST /api/clocks", "add_clock", table.ClockAdded, "Put a clock up", table_views.clocks, 201),
    EventRequest(
        "POST /api/clocks/undo", "undo_clock", table.ClockUndone, "Take the latest tick back", table_views.clocks
    ),
    EventRequest(
        "POST /api/clocks/{clock_id}/tick",
        "tick_clock",
        table.ClockTicked,
        "Tick a clock; a negative number empties it",
        table_views.clocks,
    ),
    EventRequest(
        "DELETE /api/clocks/{clock_id}", "remove_clock", table.ClockRemoved, "Take a clock away", table_views.clocks
    ),
)
