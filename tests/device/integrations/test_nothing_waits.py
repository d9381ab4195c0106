"""A whole tray whose counterparts all hang: rolls are written, announced and answered, and pictures continue."""

import threading
from pathlib import Path

from pydantic import SecretStr

from device.app import TrayApp
from device.config.settings import Settings, with_overrides, with_services
from device.game.snapshot import Snapshot
from device.game.state.events import DiceSettled, PushPressed, ResetPressed
from device.integrations.channels.discord import DiscordSettings
from device.integrations.channels.webhook import WebhookSettings
from device.integrations.settings import MqttSettings
from device.runtime.source import CameraSetup
from tests.conftest import BlindWatch, StillCamera
from tests.device.conftest import Dice, wait_until
from tests.device.integrations.counterparts import HttpCounterpart, Told, silent_server

ROLLS = 30


def test_rolls_and_pictures_go_on_while_every_counterpart_hangs(tmp_path: Path) -> None:
    goes_on = threading.Event()
    server = HttpCounterpart()
    server.tell(Told(hangs=goes_on), Told(hangs=goes_on))
    camera = StillCamera()
    with silent_server() as dead:
        settings = with_services(
            with_overrides(Settings(), camera="simulated", data=tmp_path, port=0),
            webhook=WebhookSettings(url=SecretStr(server.url)),
            discord=DiscordSettings(url=SecretStr(server.url)),
            mqtt=MqttSettings(host="127.0.0.1", port=dead, commands=True, club=True),
        )
        app = TrayApp(settings, CameraSetup(camera, None, BlindWatch()))
        app.start()
        try:
            app.post(DiceSettled(Dice.rest(*Dice.FIRST)))
            # Both posts are in progress and neither is answered; the broker accepted the connection and sends nothing.
            server.next()
            server.next()
            before = camera.count
            announced: list[Snapshot] = []
            app.tray.subscribe(announced.append)
            for number in range(ROLLS):
                assert app.tray.ask(ResetPressed()).accepted
                app.post(DiceSettled(Dice.rest()))
                app.post(DiceSettled(Dice.rest(*Dice.FIRST)))
                assert app.tray.ask(PushPressed()).accepted, number
                app.post(DiceSettled(Dice.rest(*Dice.LEFT)))
                app.post(DiceSettled(Dice.rest(*Dice.THROWN)))
            wait_until(lambda: announced[-1].body["state"] == "resolved")
            wait_until(lambda: camera.count >= before + 3)
            assert not goes_on.is_set(), "everything came to its end while the counterparts still hung"
            rows = app.tray.rolls(500, None)
            assert len(rows) == 2 * ROLLS + 1
        finally:
            app.stop()
            goes_on.set()
    server.close()
