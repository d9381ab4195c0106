"""One player's rolls, from rows as the log writes them."""

from typing import Any

from device.storage.own_rolls import rolls_counted


def row(number: int, kind: str, success: bool | None, *faces: int, roll: int) -> dict[str, Any]:
    dice = [{"id": place, "role": "base", "value": face} for place, face in enumerate(faces)]
    return {"id": number, "kind": kind, "roll": roll, "outcome": {"success": success}, "dice": dice, "hidden": False}


def test_a_roll_counts_once_as_it_ended() -> None:
    rows = [
        row(6, "corrected", True, 6, 6, roll=4),
        row(5, "scored", False, 6, 5, roll=4),
        row(4, "pushed", True, 1, 6, roll=3),
        row(3, "scored", False, 1, 3, roll=3),
        row(2, "scored", None, 2, roll=2),
        row(1, "scored", False, 4, roll=1),
    ]
    reported = rolls_counted(rows, 3)
    assert reported["counts"] == {
        "rolls": 4,
        "succeeded": 2,
        "failed": 1,
        "pushed": 1,
        "pushed_succeeded": 1,
        "faces": [1, 1, 0, 1, 0, 3],
        "blanks": 0,
    }
    listed: Any = reported["rolls"]
    assert [(one["id"], one["pushed"]) for one in listed] == [(6, False), (4, True), (2, False)]


def test_only_dice_that_counted_are_counted() -> None:
    one = row(1, "scored", True, 6, roll=1)
    one["dice"] += [
        {"id": 8, "role": None, "value": 5},
        {"id": 9, "role": "plain", "value": 8, "typed": True},
        {"id": 11, "role": "base", "value": 8, "sides": 8},
        {"id": 10, "role": "base", "value": None},
    ]
    counts: Any = rolls_counted([one], 1)["counts"]
    assert counts["faces"] == [0, 0, 0, 0, 0, 1]


def test_a_blank_face_is_none_of_the_numbers() -> None:
    counts: Any = rolls_counted([row(1, "scored", True, 0, 0, 6, roll=1)], 1)["counts"]
    assert (counts["faces"], counts["blanks"]) == ([0, 0, 0, 0, 0, 1], 2)


def test_a_hidden_roll_is_listed_and_not_counted() -> None:
    hidden = {**row(2, "scored", True, 6, 6, roll=2), "hidden": True}
    reported: Any = rolls_counted([hidden, row(1, "scored", False, 4, roll=1)], 5)
    assert [one["id"] for one in reported["rolls"]] == [2, 1]
    assert (reported["counts"]["rolls"], reported["counts"]["succeeded"], reported["counts"]["faces"]) == (
        1,
        0,
        [0, 0, 0, 1, 0, 0],
    )


def test_no_player_rolled_yet() -> None:
    reported: Any = rolls_counted([], 5)
    assert (reported["rolls"], reported["counts"]["rolls"], reported["counts"]["faces"]) == ([], 0, [0] * 6)
