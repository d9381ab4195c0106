"""Prints what notifications cost a roll: `roll_summaries.py [--rolls 300]`.

The time from a reading to its result, in a tray without receivers, in one whose webhook, Discord and broker accept
everything, and in one where all three hang. Medians and 95th percentiles of one run, the three trays taking turns.
"""

import argparse
import statistics
import tempfile
import threading
import time
from pathlib import Path

from pydantic import SecretStr

from device.app import TrayApp
from device.config.settings import Settings, with_overrides, with_services
from device.game.state.events import DiceSettled, ResetPressed
from device.integrations.channels.discord import DiscordSettings
from device.integrations.channels.webhook import WebhookSettings
from device.integrations.settings import MqttSettings
from device.runtime.source import CameraSetup
from tests.conftest import BlindWatch, StillCamera
from tests.device.conftest import Dice
from tests.device.integrations.counterparts import OPEN, Broker, HttpCounterpart, Told, silent_server


def roll_ms(app: TrayApp) -> float:
    """Return the milliseconds from a reading to its result, on the disk and announced."""
    app.tray.ask(ResetPressed())
    app.tray.ask(DiceSettled(Dice.rest()))
    began_s = time.perf_counter()
    app.tray.ask(DiceSettled(Dice.rest(*Dice.FIRST)))
    return (time.perf_counter() - began_s) * 1000.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rolls", type=int, default=300)
    rolls = parser.parse_args().rolls
    goes_on = threading.Event()
    takes, hangs = HttpCounterpart(), HttpCounterpart()
    hangs.tell(*[Told(hangs=goes_on)] * 1000)
    with tempfile.TemporaryDirectory() as folder, silent_server() as dead:
        (Path(folder) / "broker").mkdir()
        broker = Broker(Path(folder) / "broker", OPEN)
        trays = {"no receiver": (None, 0), "all take it": (takes, broker.port), "all hang": (hangs, dead)}
        apps: dict[str, TrayApp] = {}
        for name, (server, port) in trays.items():
            settings = with_overrides(Settings(), camera="simulated", data=Path(folder) / name, port=0)
            if server is not None:
                url = SecretStr(server.url)
                settings = with_services(
                    settings,
                    webhook=WebhookSettings(url=url),
                    discord=DiscordSettings(url=url),
                    mqtt=MqttSettings(host="127.0.0.1", port=port),
                )
            apps[name] = TrayApp(settings, CameraSetup(StillCamera(), None, BlindWatch()))
            apps[name].start()
        took: dict[str, list[float]] = {name: [] for name in apps}
        for _ in range(rolls):
            for name, app in apps.items():
                took[name].append(roll_ms(app))
        for name, times in took.items():
            print(
                f"{name:<13} {statistics.median(times):6.2f} ms, 95 % {statistics.quantiles(times, n=20)[-1]:6.2f} ms"
            )
        for app in apps.values():
            app.stop()
        goes_on.set()
        broker.stop()
    takes.close()
    hangs.close()


if __name__ == "__main__":
    main()
