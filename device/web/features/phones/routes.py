"""Routes of phones: pairing, player, management; and who may send which request."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, FastAPI, Path, Query, Request
from fastapi.responses import RedirectResponse, Response

from device.errors import BadInput
from device.game.state.bounds import LAST_ID
from device.texts.catalogue import translate
from device.web.core.access import COOKIE, COOKIE_S, DISPLAY_COOKIE, AccessControl
from device.web.core.addresses import AddressNow
from device.web.core.errors import ApiError
from device.web.core.guard import LOOPBACK_NAMES, strip_port
from device.web.core.knocks import TTL_S
from device.web.core.pairing import Pairing
from device.web.core.replies import NO_STORE, body_response
from device.web.core.rights import Access, Identity, access
from device.web.core.table import TableService
from device.web.core.tray import TrayService
from device.web.core.web import Web
from device.web.features.phones.bodies import (
    KnockAnswer,
    OwnSheet,
    PairRequest,
    PhoneChange,
    PhonesOpen,
    PhoneUpdate,
    Ticket,
)
from device.web.features.phones.qr_code import qr_svg
from device.web.features.phones.views import (
    Entrance,
    PhoneUrls,
    known_sheets,
    of_system,
    own_body,
    own_body_without_phones,
    phones_body,
)

_DEVICES = ("iPhone", "iPad", "Android", "Windows", "Macintosh", "CrOS", "Linux")
"""Words in a browser's user agent, the most specific first."""


KnockId = Annotated[int, Path(ge=1, le=LAST_ID)]
OtherAddress = Annotated[
    str | None, Query(min_length=1, max_length=500, pattern="^[!-~]+$", description="an address to open instead")
]


def add_phones(web: Web, pairing: Pairing, door: AccessControl) -> None:
    port, table = web.tray, web.find(TableService)
    router = APIRouter(responses={403: {"description": "Not for this device; `reason` says why in one word"}})
    _add_own(router, port, pairing, door)
    if table is not None:
        _add_own_sheets(router, port, pairing, door, table)
    _add_all(router, port, pairing, lambda request: phone_urls(request, web.address), web.find(Entrance))
    web.app.include_router(router)


def add_no_phones(app: FastAPI) -> None:
    """Tell pages of a tray without phones that they may do everything."""

    @app.get("/api/phones/me", summary="This device's role, player and sheets")
    def me() -> Response:
        return body_response(own_body_without_phones())


def _add_own(router: APIRouter, port: TrayService, pairing: Pairing, door: AccessControl) -> None:
    def identity_body(asker: Identity, status: int = 200) -> Response:
        return body_response(own_body(pairing, asker, port.snapshot().body), status)

    def let_in(token: str, request: Request) -> Response:
        answer = identity_body(door.asker_with(token), 201)
        is_secure = request.url.scheme == "https"
        answer.set_cookie(COOKIE, token, COOKIE_S, secure=is_secure, httponly=True, samesite="strict")
        return answer

    @router.get("/api/phones/me", summary="This device's role, player and sheets")
    def me(request: Request) -> Response:
        return identity_body(door.identify(request))

    @router.post("/api/phones/pair", summary="Give the PIN that the display shows", status_code=201)
    @access(Access.ALL)
    def pair(given: PairRequest, request: Request) -> Response:
        token = pairing.pair(given.pin, *_sender(request))
        known, new = door.identify(request).phone, door.asker_with(token).phone
        if known is not None and new is not None:
            # A paired phone keeps its identity: the game master's PIN makes it the game master's.
            pairing.forget(new.id)
            if new.is_game_master:
                pairing.make_game_master(known.id, is_game_master=True)
            return identity_body(door.identify(request), 201)
        return let_in(token, request)

    @router.post("/api/phones/knock", summary="Ask at the display to be let in without a PIN", status_code=201)
    @access(Access.ALL)
    def knock(request: Request) -> Response:
        asking = pairing.knock(*_sender(request))
        return body_response({"word": asking.word, "ticket": asking.ticket, "seconds": int(TTL_S)}, 201)

    @router.post("/api/phones/enter", summary="Come in once the display said yes; 202 while it has not answered")
    @access(Access.ALL)
    def enter(given: Ticket, request: Request) -> Response:
        token = pairing.enter(given.ticket)
        return body_response({"waits": True}, 202) if token is None else let_in(token, request)

    @router.get("/display", include_in_schema=False)
    def display(key: Annotated[str, Query(max_length=200)], kiosk: str | None = None) -> Response:
        if not pairing.is_display(key):
            raise ApiError("wrong_key", translate("web.phone.wrong_key"), status=403)
        # On its first evening the tray is set up, and phones come in.
        first = "/" if port.rolls(1, None) else "/start"
        answer = RedirectResponse(first if kiosk is None else f"{first}?kiosk", 303, NO_STORE)
        answer.set_cookie(DISPLAY_COOKIE, key, COOKIE_S, httponly=True, samesite="strict")
        return answer

    @router.put("/api/phones/me", summary="Set this phone's player and sheet")
    @access(Access.PAIRED)
    def set_player(myself: PhoneUpdate, request: Request) -> Response:
        phone_id = _id_of(door.identify(request))
        tray = port.snapshot().body
        wanted = None if myself.sheet is None else known_sheets(tray).get(myself.sheet)
        if myself.sheet is not None and wanted is None:
            raise ApiError("unknown_sheet", translate("web.phone.unknown_sheet"))
        if myself.name is not None:
            pairing.name(phone_id, myself.name)
        if wanted is not None:
            pairing.hold(phone_id, wanted["id"], of_system(tray, wanted["system"]))
        return identity_body(door.identify(request))

    @router.delete("/api/phones/me", summary="Let this phone in no more until it gives the PIN again")
    @access(Access.PAIRED)
    def leave(request: Request) -> Response:
        pairing.forget(_id_of(door.identify(request)))
        answer = identity_body(door.identify(request))
        answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return answer


def _add_own_sheets(
    router: APIRouter, port: TrayService, pairing: Pairing, door: AccessControl, table: TableService
) -> None:
    @router.post("/api/phones/me/sheets", summary="A new character for this phone's own", status_code=201)
    @access(Access.PAIRED)
    async def own_sheet(order: OwnSheet, request: Request) -> Response:
        tray = port.snapshot().body
        system = str(tray.get("system")) if order.system is None else order.system
        others = of_system(tray, system)
        name = pairing.name_to_hold(_id_of(door.identify(request)), others)
        sheet = await table.new_sheet(door.identify(request), order.title or name, system, order.best)
        pairing.hold(_id_of(door.identify(request)), int(str(sheet["id"])), others)
        return body_response(sheet, 201)


def _add_all(
    router: APIRouter,
    port: TrayService,
    pairing: Pairing,
    urls_for: Callable[[Request], PhoneUrls],
    entrance: Entrance | None,
) -> None:
    def identity_body(request: Request) -> Response:
        return body_response(phones_body(pairing, port.snapshot().body, urls_for(request), entrance))

    @router.get("/api/phones", summary="The PINs and every paired phone; for the display and the game master")
    @access(Access.RESTRICTED)
    def phones(request: Request) -> Response:
        return identity_body(request)

    @router.get("/api/phones/qr.svg", summary="What a phone's camera reads to open its page, paired at once")
    @access(Access.RESTRICTED)
    def qr(request: Request, to: OtherAddress = None) -> Response:
        address, _ = urls_for(request)
        if to is None and address is None:
            raise ApiError("no_address", translate("web.phone.no_address"), status=404)
        # The part after # stays on the phone and out of a proxy's log.
        own = f"{address}#pin={pairing.pins.player}" if pairing.is_required else str(address)
        return Response(qr_svg(to or own), media_type="image/svg+xml", headers=NO_STORE)

    @router.put("/api/phones/open", summary="Let phones in, or no more: the tray listens to the network, or does not")
    def turn(wanted: PhonesOpen, request: Request) -> Response:
        if entrance is None:
            raise ApiError("fixed", translate("web.phone.fixed"))
        try:
            entrance.turn(wanted.open)
        except BadInput as error:
            raise ApiError("fixed", str(error)) from error
        return identity_body(request)

    @router.post("/api/phones/knocks/{knock_id}", summary="Let a phone that asks in, or not")
    def answer(knock_id: KnockId, given: KnockAnswer, request: Request) -> Response:
        pairing.answer_knock(knock_id, is_let_in=given.let_in)
        return identity_body(request)

    @router.post("/api/phones/pins", summary="Take other PINs; paired phones stay paired")
    def new_pins(request: Request) -> Response:
        pairing.renew_pins()
        return identity_body(request)

    @router.patch("/api/phones/{phone_id}", summary="Make a phone the game master's, or unassign its player")
    def change(phone_id: int, wanted: PhoneChange, request: Request) -> Response:
        if wanted.free:
            pairing.free(phone_id)
        if wanted.game_master is not None:
            pairing.make_game_master(phone_id, is_game_master=wanted.game_master)
        return identity_body(request)

    @router.delete("/api/phones/{phone_id}", summary="Let a phone in no more until it gives the PIN again")
    def forget(phone_id: int, request: Request) -> Response:
        pairing.forget_for_now(phone_id)
        return identity_body(request)


def phone_urls(request: Request, address: AddressNow) -> PhoneUrls:
    """Return the URL for phones: the caller's own, unless that only works on this machine."""
    host = request.headers.get("host", "")
    if strip_port(host.lower()) not in LOOPBACK_NAMES:
        return f"{request.url.scheme}://{host}/phone", None
    url, named = address()
    return url and f"{url}phone", named and f"{named}phone"


def _sender(request: Request) -> tuple[str, str]:
    """Return a device's address and what it is."""
    agent = request.headers.get("user-agent", "")
    address = "" if request.client is None else request.client.host
    return address, next((word for word in _DEVICES if word in agent), "")


def _id_of(asker: Identity) -> int:
    if asker.phone is None:
        raise ApiError("not_a_phone", translate("web.phone.not_a_phone"))
    return asker.phone.id
