"""Draws the states of a roll and what leads from one to the next, by stepping through every state and event.

python -m tests.device.game.state_diagram writes it into device/README.md. test_machine.py fails while it is stale.
"""

from collections import defaultdict
from pathlib import Path

from device.game.machine import step
from device.game.state.states import STATE_NAMES, State
from tests.device.game.sample_states import EVENTS, states

PAGE = Path(__file__).resolve().parents[3] / "device/README.md"
BEGIN = "<!-- made by tests/device/game/state_diagram.py: begin -->"
END = "<!-- made by tests/device/game/state_diagram.py: end -->"


def _name(state: State) -> str:
    return STATE_NAMES[type(state)]


def arrows() -> dict[tuple[str, str], list[str]]:
    """From which state to which other one, by what events; those of a fault are left out: every state knows them."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for before in states().values():
        for name, event in EVENTS.items():
            way = _name(before), _name(step(before, event)[0])
            words = name.replace("_", " ")
            if way[0] != way[1] and "fault" not in way and words not in found[way]:
                found[way].append(words)
    return dict(found)


def diagram() -> str:
    """The diagram as Mermaid draws it."""
    lines = ["```mermaid", "stateDiagram-v2", "    [*] --> empty"]
    lines += [f"    {start} --> {end}: {', '.join(events)}" for (start, end), events in arrows().items()]
    return "\n".join([*lines, "```"])


def page() -> str:
    """The page with the diagram as it is now."""
    before, _, rest_of_page = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest_of_page.partition(END)[2]
    return f"{before}{BEGIN}\n{diagram()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
