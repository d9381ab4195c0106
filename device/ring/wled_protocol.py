"""Convert a ring's plan to WLED messages, and check WLED's answer. Pure.

WLED takes JSON over its serial port at 115200 baud, one object after another, and answers only to `"v": true`, with its
state in one line. It reads directly from a small buffer, so each message is short, and a plan counts as shown only once
the answer confirms it.

Source: WLED's JSON API and its serial reader; the period of its blink is (255 - speed) * 20 ms and two frames.
"""

import json
from typing import Any

from device.game.lamps import Pattern, PatternParams
from device.kept_files import parse_json
from device.ring.plan import RingPlan, Stretch

SOLID = 0
BLINK = 1
"""WLED's numbers of the two effects used, unchanged since its first release."""

FRAME_MS = 24.0
"""Duration of one of WLED's frames, at 42 per second."""

ASK = b'{"v":true}\n'

MAX_ANSWER_BYTES = 65536
"""An answer is 2 to 5 kB; a port that sends more than this without a line end is not WLED."""


def blink_speed(rate_hz: float) -> int:
    """Return WLED's speed, 0 to 255, for a blink rate; its slowest is one blink in five seconds."""
    return max(0, min(255, round(255.0 - (1000.0 / rate_hz - 2.0 * FRAME_MS) / 20.0)))


def plan_messages(plan: RingPlan, patterns: PatternParams, segments_known: int) -> list[bytes]:
    """Return the messages that make WLED show a plan, in order.

    Returns:
        One message for the whole and one for each segment, each ending in a line end and shorter than 200 bytes.
    """
    messages: list[dict[str, Any]] = [
        # No playlist and no night light, so that WLED itself does not change the light.
        {"on": True, "bri": plan.brightness, "pl": -1, "nl": {"on": False}}
    ]
    messages.extend({"seg": _segment(number, one, patterns)} for number, one in enumerate(plan.stretches))
    messages.extend({"seg": {"id": number, "stop": 0}} for number in range(len(plan.stretches), segments_known))
    # No fading either. WLED 0.13 applies `tt` only to the message that contains it; others fade for 0.7 s.
    messages = [{"tt": 0} | message for message in messages]
    return [json.dumps(message, separators=(",", ":")).encode() + b"\n" for message in messages]


def _segment(number: int, stretch: Stretch, patterns: PatternParams) -> dict[str, Any]:
    segment: dict[str, Any] = {
        "id": number,
        "start": stretch.start,
        "stop": stretch.stop,
        "on": True,
        "bri": 255,
        "col": [list(stretch.rgb), [0, 0, 0]],
        "fx": SOLID,
    }
    if stretch.pattern is not Pattern.STEADY:
        rate_hz = patterns.slow_hz if stretch.pattern is Pattern.SLOW else patterns.fast_hz
        segment |= {"fx": BLINK, "sx": blink_speed(rate_hz), "ix": round(255 * patterns.on_fraction)}
    return segment


def find_answer(received: bytes) -> tuple[dict[str, Any] | None, bytes]:
    *lines, rest = received.split(b"\n")
    answer = None
    for line in lines:
        start = line.find(b'{"state"')
        if start < 0:
            continue
        try:
            found = parse_json(line[start:])
        except ValueError:
            continue
        if isinstance(found, dict) and isinstance(found.get("state"), dict):
            answer = found
    return answer, rest[-MAX_ANSWER_BYTES:]


def is_shown(answer: dict[str, Any], plan: RingPlan) -> bool:
    state = answer["state"]
    segments = state.get("seg")
    if state.get("on") is not True or state.get("bri") != plan.brightness or not isinstance(segments, list):
        return False
    by_id = {_number(one.get("id", number)): one for number, one in enumerate(segments) if isinstance(one, dict)}
    if len([one for one in by_id.values() if _number(one.get("stop", 0)) > 0]) != len(plan.stretches):
        return False
    return all(_is_segment(by_id.get(number, {}), one) for number, one in enumerate(plan.stretches))


def _is_segment(segment: dict[str, Any], stretch: Stretch) -> bool:
    colours = segment.get("col")
    first = colours[0] if isinstance(colours, list) and colours else None
    return (
        segment.get("start") == stretch.start
        and segment.get("stop") == stretch.stop
        and segment.get("fx") == (SOLID if stretch.pattern is Pattern.STEADY else BLINK)
        and isinstance(first, list)
        and tuple(first[:3]) == stretch.rgb
    )


def led_count(answer: dict[str, Any]) -> int | None:
    """Return the number of LEDs in WLED's own settings; None if missing from its answer."""
    count = _leds_of(answer).get("count")
    return count if _number(count) >= 0 else None


def has_dark_white(answer: dict[str, Any]) -> bool:
    """Return whether the strip also has white LEDs (RGBW) that WLED leaves to a slider.

    Source: WLED's `serializeInfo`: `rgbw`, and `wv` if there is a white slider, so that white is not computed.
    """
    leds = _leds_of(answer)
    return leds.get("rgbw") is True and leds.get("wv") not in (False, 0)


def _leds_of(answer: dict[str, Any]) -> dict[str, Any]:
    info = answer.get("info")
    leds = info.get("leds") if isinstance(info, dict) else None
    return leds if isinstance(leds, dict) else {}


def _number(value: object) -> int:
    """Return an integer of an answer; -1 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else -1
