"""Players by name, and whose roll it was, over the web."""

from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Path, Query
from fastapi.responses import Response

from device.game.state.bounds import LAST_ID, Id, PlayerName
from device.game.state.table_events import RollGiven
from device.web.core.access import Asker
from device.web.core.bodies import Body
from device.web.core.event_requests import REFUSALS
from device.web.core.pairing import Pairing
from device.web.core.pools import on
from device.web.core.replies import body_response, event_response
from device.web.core.rights import Access, access
from device.web.core.table import TableService
from device.web.core.web import Web
from device.web.features.players.service import PlayerService


class GiveRoll(Body):
    """Whose roll it is; null: no one's.

    Without `sheet` it is paid by that player's sheet, with null by none. Without `owner` it is the sheet's player's.
    """

    owner: PlayerName | None = None
    sheet: Id | None = None


def add_players(web: Web, table: TableService) -> None:
    players = PlayerService(web.tray, table, web.find(Pairing))
    router = APIRouter(responses=REFUSALS)

    @router.get("/api/players", summary="Everyone who may be named as the player of a roll, with the sheet that pays")
    @on(web.pools.log)
    def known(system: Annotated[str | None, Query(max_length=40)] = None) -> Response:
        listed = players.known(table.system(system).id)
        return body_response({"players": [{"name": one.name, "sheet": one.sheet} for one in listed]})

    @router.put("/api/rolls/{roll}/owner", summary="Say whose roll it was; what it cost moves to that player's sheet")
    @access(Access.EVENT)
    async def give(roll: Annotated[int, Path(ge=1, le=LAST_ID)], order: GiveRoll, caller: Asker) -> Response:
        before = await to_thread.run_sync(players.logged, roll)
        sheet = order.sheet if "sheet" in order.model_fields_set else players.sheet_of(order.owner, before.system)
        owner = order.owner if "owner" in order.model_fields_set else players.player_of(sheet, before.system)
        given = RollGiven(roll, owner, sheet, before.owner)
        return event_response(await web.tray.request(given, caller), caller, 422)

    web.app.include_router(router)
