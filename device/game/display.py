"""The headline texts of a snapshot: title, lead, next step. Pure.

Decided here once for every page, phone, overlay and voice. A redacted snapshot has its own texts.
"""

import math

from device.game.snapshot_model import Ask, Display, Outcome, Press, SeenDie, Snapshot, Unworded
from device.game.table.roll_requests import turn_text
from device.message import Message, Text, message, message_or, word

_SHOWN_ELSEWHERE = frozenset({"rolling", "fault", "tray_busy", "nothing_to_reroll"})
"""Reasons for a disabled Throw that the page shows elsewhere."""


def display_words(body: Unworded) -> Display:
    """Return the headline texts of a snapshot's body.

    Returns:
        `title`, which names the problem if there is one; `lead`, empty where the title or a problem's own text says
        what to do; `act`, the next step in a few words; `hint`, what a push would do, or why a button is disabled.
    """
    if body["lesson"] and body["state"] in {"empty", "rolling"}:
        title, lead, act = (message(f"tray.display.lesson.{key}") for key in ("title", "lead", "act"))
        return {"title": title, "lead": lead, "act": act, "hint": ""}
    waiting = is_waiting(body)
    is_pushing = body["state"] == "awaiting_push"
    code = None if waiting or body["state"] == "fault" else _first_problem(body)
    return {
        "title": _title(body, None if body["confirmable"] and body["state"] == "unclear" else code, waiting=waiting),
        "lead": _lead(body) if code is None and not body["awaiting"] else "",
        "act": "" if is_pushing and code is None else _act(body),
        "hint": _hint(body, is_quiet=waiting or is_pushing or code is not None or body["next"]["wrong"]),
    }


def shown_body(body: Unworded) -> Snapshot:
    """Return a snapshot's body with its headline texts and with what the player must do with each die."""
    going = {die["id"] for die in to_reroll(body)}
    dice: list[SeenDie] = [{**die, "ask": _ask(die, body, going)} for die in body["dice"]]
    words = display_words(body)
    lines = [line for line in body["lines"] if not _is_title(line["text"], words["title"])]
    return {**body, "dice": dice, "lines": lines, "display": words}


def _is_title(text: Text, title: Text) -> bool:
    """Return whether a line says no more than the title."""
    if isinstance(text, Message) and isinstance(title, Message) and not title.values:
        return text.key == title.key
    return text == title


def _ask(die: SeenDie, body: Unworded, going: set[int]) -> Ask | None:
    """Return what to do with a die. "Stay" appears only while a push is possible or another die is thrown again."""
    if die["wrong"] and not die["must_reroll"]:
        return "wrong"
    if die["picked_up"]:
        # Taking a die that must stay is wrong at once, not only when the dice lie still again.
        return "wrong" if die["locked"] and body["state"] == "awaiting_push" else "picked"
    if die["unread"] is not None or die["value"] is None:
        return "unread"
    if die["id"] in going:
        return "reroll"
    may_push = body["state"] == "awaiting_push" or (body["state"] == "scored" and body["push"]["eligible"])
    return "stay" if body["awaiting"] or (may_push and (die["locked"] or die["must_reroll"])) else None


def is_waiting(body: Unworded) -> bool:
    """Return whether the tray waits for something that the rules require, so nothing is wrong."""
    return body["state"] == "unclear" and not body["next"]["wrong"]


def to_reroll(body: Unworded) -> list[SeenDie]:
    """Return the dice to reroll; after a wrong push only those that its problem names."""
    going = [die for die in body["dice"] if die["must_reroll"]]
    details = body["problem_details"] if body["state"] == "awaiting_push" else []
    named = {die for problem in details for die in problem["dice"]}
    return [die for die in going if die["id"] in named] if named else going


def _act(body: Unworded) -> Text:
    doubtful = sum(die["wrong"] or die["unread"] is not None or die["value"] is None for die in body["dice"])
    return message_or("", f"tray.display.act.{body['next']['code']}", count=max(1, doubtful))


def _hint(body: Unworded, *, is_quiet: bool) -> Text:
    push, throw = body["presses"]["push"], body["presses"]["throw"]
    texts = [_push_hint(body, push)] if push["offered"] and not is_quiet else []
    is_dark = throw["offered"] and not throw["allowed"]
    if is_dark and throw["reason"] != push["reason"] and throw["reason"] not in _SHOWN_ELSEWHERE:
        texts.append(throw["text"])
    if len(texts) == 2:
        return message("tray.display.hint.both", push=texts[0], throw=texts[1])
    return texts[0] if texts else ""


def _push_hint(body: Unworded, push: Press) -> Text:
    count = max(len(to_reroll(body)), len(body["push"]["must_reroll"]))
    if push["allowed"]:
        return message("tray.display.hint.again", count=count) if count else push["text"]
    return message_or(push["text"], f"tray.display.hint.{body['state']}")


def _lead(body: Unworded) -> Text:
    fault = body["fault"]
    if body["state"] == "fault":
        text: Text = fault["text"] if fault else message("tray.display.headline.no_answer")
        if not fault or fault["retry_in_s"] <= 0:
            return text
        seconds = math.ceil(fault["retry_in_s"])
        return message("tray.display.headline.retry", text=text, seconds=seconds)
    if body["next"]["code"] == "choose":
        dice = [
            message("tray.display.headline.dice_of", count=n, role=word(role))
            for role, n in body["example_pool"].items()
        ]
        return message("tray.display.headline.choose_dice", dice=dice)
    return body["next"]["text"]


def _title(body: Unworded, problem: str | None, *, waiting: bool) -> Text:
    if problem is not None:
        return message_or(_capital(problem), f"page.problem.{problem}")
    outcome = body["outcome"]
    match body["state"]:
        case "empty":
            return _turn(body) or _headline("ready_to_throw" if body["simulated"] else "throw_the_dice")
        case "rolling":
            return _headline("moving" if body["next"]["code"] == "clearing" else "rolling")
        case "unclear":
            return _title_of_unclear(body, waiting=waiting)
        case "fault":
            return fault_title(body["fault"]["part"] if body["fault"] else "tray")
    if body["awaiting"]:
        return message(f"rules.{body['system']}.lines.{body['awaiting']['reason']}")
    if body["state"] == "awaiting_push":
        return _title_of_push(body)
    verdict = _verdict(body)
    if verdict is not None:
        return verdict
    if outcome is not None:
        return _title_of_outcome(outcome, is_final=body["state"] == "resolved")
    return _headline("hidden") if body["hidden"] else "…"


def _turn(body: Unworded) -> Text:
    """Return who rolls now, and for what or with which dice; empty if nothing is requested or prepared."""
    request, prepared = body["asked"], body["prepared"]
    owner, thrower, label = (request[name] for name in ("owner", "thrower", "label")) if request else (None, None, None)
    if prepared and owner is None:
        owner = next((sheet["title"] for sheet in body["sheets"] if sheet["id"] == prepared["sheet"]), None)
    return turn_text(owner, thrower, label or (prepared["take"] if prepared else None))


def fault_title(part: str) -> Text:
    return message_or(message("tray.display.fault.other", part=_capital(part)), f"tray.display.fault.{part}")


def _title_of_unclear(body: Unworded, *, waiting: bool) -> Text:
    if body["confirmable"] and not waiting:
        return _headline("right")
    unread = sum(
        (die["unread"] is not None or die["value"] is None) and not die["picked_up"] and not die["wrong"]
        for die in body["dice"]
    )
    return _headline("look_at", count=unread) if unread else _headline("waits" if waiting else "not_clear")


def _title_of_push(body: Unworded) -> Text:
    going = to_reroll(body)
    typed = sum(die["must_reroll"] and die["value"] is None for die in body["typed_dice"])
    if typed and not going:
        return _headline("roll_again", count=typed)
    lying = sum(not die["picked_up"] for die in going)
    return _headline("pick_up", count=lying) if lying else _headline("throw_count", count=len(going))


def _verdict(body: Unworded) -> Text | None:
    """Return the verdict of compared rolls, or the progress of an extended test."""
    if body["outcome"] is None or body["state"] not in {"scored", "resolved"} or body["awaiting"]:
        return None
    for linked in body["together"]:
        if linked["text"] and any(member["roll"] == body["roll"] for member in linked["members"]):
            return linked["text"]
    series = body["series"]
    if series and any(rolled["roll"] == body["roll"] for rolled in series["rolls"]):
        return series["text"]
    return None


def _title_of_outcome(outcome: Outcome, *, is_final: bool) -> Text:
    name, success = outcome.get("outcome"), outcome["success"]
    if isinstance(name, str):
        return message_or(_capital(name), f"tray.display.outcome.{name}")
    if success is None:
        return message("tray.display.outcome.final" if is_final else "tray.display.outcome.result")
    return message("tray.display.outcome.success" if success else "tray.display.outcome.no_success")


def _headline(name: str, **values: object) -> Text:
    return message(f"tray.display.headline.{name}", **values)


def _first_problem(body: Unworded) -> str | None:
    codes = body["problems"]
    detailed = [problem["code"] for problem in body["problem_details"] if problem["code"] in codes]
    return next(iter([*detailed, *codes]), None)


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:].replace("_", " ")
