"""The subcommand `club`: every tray of a broker on one page."""

import argparse
import logging
import secrets
import socket
import threading
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from device.cli.logs import set_level
from device.cli.run import add_log_level_argument
from device.config.messages import one_line
from device.config.settings import WebSettings, load_settings, with_overrides
from device.errors import BadInput
from device.integrations.club import ClubTrays
from device.integrations.messages import Sender
from device.integrations.mqtt import MqttLink
from device.integrations.settings import MqttSettings
from device.runtime.signals import signals_set
from device.texts.catalogue import ENGLISH
from device.web.core.guard import guard_for
from device.web.core.server import AddressLine, AppServer, bind_socket, when_free
from device.web.features.club.app import create_club_app

_log = logging.getLogger(__name__)


def add_club_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", type=Path, metavar="FILE", help="settings file (TOML) instead of the user's own")
    parser.add_argument("--broker", metavar="HOST[:PORT]", help="the club's broker instead of the settings' [mqtt]")
    parser.add_argument("--base", metavar="TOPIC", help=f"what the trays' topics begin with ({MqttSettings().base})")
    web = WebSettings()
    parser.add_argument("--host", metavar="H", help=f"address to listen on ({web.host})")
    parser.add_argument("--port", type=int, metavar="P", help=f"port to listen on ({web.port})")
    add_log_level_argument(parser)


def run_club(args: argparse.Namespace) -> int:
    """Show a club's trays until it is stopped. Only subscribes: nothing is published."""
    settings = with_overrides(load_settings(args.settings), host=args.host, port=args.port, log_level=args.log_level)
    set_level(settings.log.level)
    mqtt = broker_named(settings.mqtt, args.broker, args.base)
    stopped = threading.Event()
    taken = when_free(lambda: bind_socket(settings.web.host, settings.web.port), stopped.wait)
    if taken is None:
        return 0
    club = ClubTrays(mqtt.base)
    link = MqttLink(
        mqtt,
        Sender("club", "club", ENGLISH),
        f"pushtray-club-{secrets.token_hex(4)}",
        on_heard=club.hear,
        is_silent=True,
    )
    guard = guard_for(settings.web.host, socket.gethostname(), settings.web.names)
    with (
        signals_set(stopped),
        AppServer(create_club_app(club, guard, lambda: link.fault, language=settings.display.language), taken) as web,
    ):
        link.start()
        try:
            line = AddressLine("The club is at %s (Ctrl-C stops it)", lambda: web.where)
            line.look()
            while not stopped.wait(3.0):
                line.look()
        finally:
            link.stop()
    return 0


def broker_named(mqtt: MqttSettings, broker: str | None, base: str | None) -> MqttSettings:
    """Return the broker's settings, overridden by the command line."""
    given: dict[str, str | int] = {} if base is None else {"base": base}
    if broker is not None:
        host, colon, port = broker.rpartition(":")
        if colon and port.isdecimal() and "]" not in port:
            given |= {"host": host.strip("[]"), "port": int(port)}
        else:
            given["host"] = broker.strip("[]")
    try:
        named = replace(mqtt, **given)  # type: ignore[arg-type]
    except ValidationError as error:
        raise BadInput(f"mqtt.{one_line(error, MqttSettings, given)}") from error
    if not named.host:
        raise BadInput("no broker is named: add --broker HOST, or set host under [mqtt] of the settings")
    return named
