"""What comes from outside, drawn by shape: floods of wrong PINs, and report archives of made-up people."""

import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from ipaddress import IPv4Address, IPv6Address
from itertools import chain, cycle
from pathlib import Path
from typing import Any

from device.cli.report import make_report
from device.cli.run import examined
from device.config.settings import Settings, with_overrides
from device.game.state.events import DiceSettled, ResetPressed
from device.game.state.table_events import SheetAdded
from device.storage.evenings import name_evening
from device.storage.log_file import FILE_NAME
from device.storage.phones import FILE_NAME as PHONES_NAME
from device.storage.phones import Phone, PhoneFile
from device.texts.catalogue import catalogue, languages
from rules.sheet_file import new_sheet
from tests.benchmarks.strangers import Person
from tests.device.archive.conftest import Evening
from tests.device.conftest import Dice
from tests.proof.tray import PATIENCE_S, Tray, running

_PEOPLE = {"name", "names", "owner", "label", "thrower", "who", "phone", "sheet", "by"}
_HOSTS = {"host", "address", "here", "network", "url", "why", "reason"}
_FOLDERS = {"path", "file", "folder", "named"}


class Someone:
    """A made-up person: everything that a report must not hold.

    Attributes:
        private: The words of it all, of which none may be found.
    """

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.private: list[str] = []
        self.names = [f"{self._word().title()} {self._word().title()}", self._word().title()]
        self.evening = f"{self._word()} & {self._word()}"
        self.sheet = f"{self._word()}-{self._word()}"
        self.folders = [f"/{place}/{self._word()}/{self._word()}" for place in ("home", "media", "srv/dice")]
        self.hosts = [f"{self._word()}.{end}" for end in ("lan", "local", "example:1883")]
        self.hosts.append(self._word())
        self.hosts += [
            f"https://{self._word()}.example/{self._word()}?key={self._word()}",
            f"{self._word()}@web.example",
        ]
        self.hosts += [self._address(IPv4Address(chance.getrandbits(32) | 1 << 31)) + end for end in ("", ":8000")]
        self.hosts += [self._address(IPv6Address(chance.getrandbits(128) | 1 << 127))]
        self.numbers = [self._kept(f"{chance.randrange(10**6, 10**9)}")]

    def fill(self, text: str) -> str:
        """Return a text of the program with this person's own in each place."""
        return re.sub(r"\{(\w+)\}", lambda place: self._chance.choice(self._of(place[1])), text)

    def _of(self, key: str) -> list[str]:
        for keys, kind in ((_PEOPLE, [*self.names, self.evening, self.sheet]), (_HOSTS, self.hosts)):
            if key in keys:
                return kind
        return self.folders if key in _FOLDERS else [*self.hosts, *self.folders, *self.numbers]

    def _word(self) -> str:
        return self._kept(
            "".join(self._chance.choice(kind) for kind in ("qxz", "aeiou", "vwj", "aeiou", "kqx", "aeiou"))
        )

    def _address(self, address: IPv4Address | IPv6Address) -> str:
        return self._kept(str(address))

    def _kept(self, text: str) -> str:
        self.private.append(text.casefold())
        return text


@cache
def _texts() -> tuple[str, ...]:
    """Return every text of the program, each form of it, in every language."""
    known = chain.from_iterable(catalogue(language).texts.values() for language in languages())
    return tuple(chain.from_iterable([text] if isinstance(text, str) else text.values() for text in known))


def reports(folder: Path, count: int, seed: int) -> Counter[str]:
    """Make so many report archives of made-up people; return how many texts were sifted, and what passed."""
    found = Counter[str]()
    for number in range(count):
        someone = Someone(random.Random(f"{seed} {number}"))
        data = folder / str(number) / someone.names[1]
        data.mkdir(parents=True)
        _keep(someone, data)
        journal = "\n".join(someone.fill(text) for text in _texts())
        tray = examined(with_overrides(Settings(), camera="simulated", data=data, port=1))
        for part in make_report(tray, {}, journal=journal.__str__):
            held = (part.name + part.what + (part.content or b"").decode("utf-8", "replace")).casefold()
            found.update(f"found in {part.name}: {private}" for private in someone.private if private in held)
        found["lines of a journal"] += len(_texts())
        found["archives"] += 1
    return found


def _keep(someone: Someone, data: Path) -> None:
    """Write what a tray keeps of somebody: phones, a sheet, an evening."""
    phones = [Phone(number, f"{number:064}", "", name, (), False) for number, name in enumerate(someone.names, 1)]
    PhoneFile(data / PHONES_NAME).write(phones)
    evening = Evening(data / FILE_NAME)
    with closing(evening.history):
        evening.play(SheetAdded(new_sheet(someone.sheet, "push-pool")))
        evening.play(DiceSettled(Dice.rest(*Dice.FIRST)), ResetPressed())
    name_evening(data / FILE_NAME, 1, someone.evening)


def floods(folder: Path, count: int, seed: int, addresses: int = 500, *, ask_too: bool = False) -> Counter[str]:
    """Flood trays with wrong PINs while an honest phone tries to come in.

    Args:
        addresses: Number of guessers, in nets as chance has it.
        ask_too: Whether guessers ask at the display as well.

    Returns:
        The longest seconds until the honest phone was in, and how many were not within `PATIENCE_S`.
    """
    found = Counter[str]()
    for number in range(count):
        chance, place = random.Random(f"{seed} {number}"), folder / str(number)
        place.mkdir(parents=True)
        nets = chance.choice((2, 20, 120, addresses))
        guessers = [f"127.{1 + k % nets % 200}.{k % nets // 200}.{2 + k // nets}" for k in range(addresses)]
        chance.shuffle(guessers)
        with running(place) as tray:
            waited_s = _flood(tray, guessers, ask_too=ask_too)
        if waited_s is None:
            found["phones that were shut out"] += 1
        else:
            found["seconds until a phone is in"] = max(found["seconds until a phone is in"], round(waited_s))
        found["floods"] += 1
    return found


def _flood(tray: Tray, guessers: list[str], *, ask_too: bool) -> float | None:
    pins = tray.ask("GET", "phones")["pins"]
    wrong = next(pin for pin in ("000000", "000001", "000002") if pin not in pins.values())
    honest = _coming_in(tray, Visitor(tray, "127.250.0.9"), pins["player"])
    begun_s = None
    for number, address in enumerate(cycle(guessers)):
        Visitor(tray, address).send("pair", {"pin": wrong})
        if ask_too:
            Visitor(tray, address).send("knock")
        if number >= 2 * len(guessers) and number % 20 == 0:
            begun_s = begun_s or time.monotonic()
            is_in, waited_s = next(honest), time.monotonic() - begun_s
            if is_in or waited_s > PATIENCE_S:
                return waited_s if is_in else None
    return None


def _coming_in(tray: Tray, phone: "Visitor", pin: str) -> Iterator[bool]:
    """Try the PIN, else ask at the display, which says yes; yield whether the phone is in."""
    while phone.send("pair", {"pin": pin})[0] != 201:
        status, knock = phone.send("knock")
        if status == 201:
            shown = [one for one in tray.ask("GET", "state")["knocks"] if one["word"] == knock["word"]]
            for one in shown:
                tray.ask("POST", f"phones/knocks/{one['id']}", {"let_in": True})
            if phone.send("enter", {"ticket": knock["ticket"]})[0] == 201:
                break
        yield False
    yield True


class Visitor:
    """A device with an address of its own."""

    def __init__(self, tray: Tray, address: str) -> None:
        self._person = Person(("127.0.0.1", tray.port), address, "127.0.0.1")

    def send(self, what: str, body: object = None) -> tuple[int, Any]:
        with self._person.open("POST", f"/api/phones/{what}", body) as answer:
            return answer.status, json.load(answer)
