"""The mains frequency where the tray stands, by its time zone."""

import zoneinfo
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal

from device.archive.zone import tray_zone

Hertz = Literal[50, 60]

USUAL_HZ: Final[Hertz] = 50

SIXTY: Final = frozenset(
    [
        "AG",
        "AI",
        "AS",
        "AW",
        "BL",
        "BM",
        "BR",
        "BS",
        "BZ",
        "CA",
        "CO",
        "CR",
        "CU",
        "DO",
        "EC",
        "FM",
        "GT",
        "GU",
        "HN",
        "HT",
        "KN",
        "KR",
        "KY",
        "MF",
        "MH",
        "MP",
        "MS",
        "MX",
        "NI",
        "PA",
        "PE",
        "PH",
        "PR",
        "PW",
        "SA",
        "SR",
        "SV",
        "SX",
        "TC",
        "TT",
        "TW",
        "UM",
        "US",
        "VE",
        "VG",
        "VI",
    ]
)
"""Countries with 60 Hz, by ISO 3166. The rest of the world has 50. Source: IEC, World plugs."""

BOTH: Final = frozenset(("BQ", "GY", "JP", "KP", "LR", "PF"))
"""Countries that have both, each in a part."""


@dataclass(frozen=True, slots=True)
class Mains:
    hz: Hertz
    # the time zone that says so; None: it says nothing, as of a country with both, so somebody must
    zone: str | None


def mains_here() -> Mains:
    return mains_of(tray_zone())


def mains_of(zone: str, folders: Sequence[str] | None = None) -> Mains:
    """Return the mains frequency in a time zone.

    Args:
        zone: As in `Europe/Berlin`.
        folders: Where the system keeps its zones.
    """
    country = _countries(tuple(zoneinfo.TZPATH if folders is None else folders)).get(zone)
    if country is None or country in BOTH:
        return Mains(USUAL_HZ, None)
    return Mains(60 if country in SIXTY else 50, zone)


@cache
def _countries(folders: tuple[str, ...]) -> dict[str, str]:
    """Return the country of each zone, from the time zone database's own table."""
    for folder in folders:
        try:
            lines = Path(folder, "zone.tab").read_text(encoding="utf-8").splitlines()
        except OSError:
            continue
        rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
        return {row[2]: row[0] for row in rows if len(row) > 2}
    return {}
