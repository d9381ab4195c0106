"""A power cut in the middle of a push: the tray comes back with the roll, once, and the push still waiting."""

from pathlib import Path

import pytest

from tests.device.running_tray import running


@pytest.mark.timeout(180)
def test_a_killed_tray_comes_back_with_every_roll_once_and_the_push_waiting(tmp_path: Path) -> None:
    with running(tmp_path) as tray:
        tray.ask("throw", {"base": 3, "skill": 1, "seed": 7})
        tray.wait_for(lambda state: state["state"] == "scored")
        pushed = tray.ask("push", {})
        assert pushed["state"] == "awaiting_push"
        tray.process.kill()
        tray.process.wait()
    with running(tmp_path) as again:
        back = again.ask("state")
        for key in ("state", "outcome", "push", "roll"):
            assert back[key] == pushed[key]
        assert [(die["id"], die["value"], die["must_reroll"]) for die in back["dice"]] == [
            (die["id"], die["value"], die["must_reroll"]) for die in pushed["dice"]
        ]
        assert [(row["kind"], row["roll"]) for row in again.ask("rolls")["rolls"]] == [("scored", 1)]
        again.ask("throw", {"seed": 8})
        resolved = again.wait_for(lambda state: state["state"] == "resolved")
        assert {die["id"] for die in resolved["dice"]} == {die["id"] for die in pushed["dice"]}
        assert [(row["kind"], row["roll"]) for row in again.ask("rolls")["rolls"]] == [("pushed", 1), ("scored", 1)]
