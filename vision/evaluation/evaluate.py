"""The reader compared with labelled pictures: what is exact, what is wrong, and what is wrong but trusted."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.evaluation.labels import BadLabels, TrueDie, TruePicture
from vision.types.reading import DieReading, PointPx, TrayReading


@dataclass(frozen=True, slots=True)
class Miss:
    """One difference from the label: `missing`, `extra`, `value`, `colour`, `unread` or `not_flagged`."""

    kind: str
    text: str
    center_px: PointPx | None  # centre of the die in the picture; None if the label has no places


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on one picture."""

    image: str
    tags: tuple[str, ...]
    plain: bool  # whether nothing in it is cocked, stacked or covered
    exact: bool  # whether every die was found once, with the right value and colour, none in doubt and none extra
    trusted: bool  # whether the reader trusted its reading
    misses: tuple[Miss, ...]
    read_pairs: tuple[tuple[int, int], ...]  # (true value, read value or 0) of each die that was matched or missed
    flagged_dice: tuple[int, int]  # number of cocked or stacked dice, and how many of them were marked unread
    elapsed_ms: float

    @property
    def silent(self) -> bool:
        """Whether it is trusted and wrong: the worst case."""
        return self.trusted and bool(self.misses)


def judge(truth: TruePicture, reading: TrayReading, *, with_colour: bool = True) -> Verdict:
    """Compare a reading with its label.

    Args:
        truth: The label. If it has places, a die counts as found within half an edge of its place; otherwise the values
            are compared as a multiset.
    """
    if any(die.center_px is None for die in truth.dice):
        misses, pairs, flagged = _judge_multiset(truth, reading)
    else:
        misses, pairs, flagged = _judge_places(truth, reading, with_colour=with_colour)
    return Verdict(
        image=truth.path.name,
        tags=truth.tags,
        plain=truth.plain,
        exact=not misses,
        trusted=reading.trusted,
        misses=tuple(misses),
        read_pairs=tuple(pairs),
        flagged_dice=flagged,
        elapsed_ms=reading.elapsed_ms,
    )


_Judged = tuple[list[Miss], list[tuple[int, int]], tuple[int, int]]


def _judge_places(truth: TruePicture, reading: TrayReading, *, with_colour: bool) -> _Judged:
    misses: list[Miss] = []
    pairs: list[tuple[int, int]] = []
    flagged = found_flagged = 0
    free = list(reading.dice)
    for die in truth.dice:
        if die.covered:
            continue
        seen = _nearest(die, free)
        if seen is not None:
            free.remove(seen)
        if not die.confirmed:
            continue
        if die.flagged:
            flagged += 1
            if seen is not None and seen.unread is not None:
                found_flagged += 1
            elif seen is None:
                misses.append(Miss("missing", f"cocked {die.value}", die.center_px))
            else:
                misses.append(Miss("not_flagged", f"cocked {die.value} read as {seen.value}", die.center_px))
            continue
        if die.may_be_doubted and (seen is None or seen.unread is not None):
            continue
        pairs.append((die.value, 0 if seen is None or seen.value is None else seen.value))
        misses.extend(_die_misses(die, seen, with_colour=with_colour))
    hidden = [die for die in truth.dice if die.covered]
    for seen in free:
        if seen.unread is not None and _nearest_covered(seen, hidden):
            continue
        if not truth.complete and not _is_at(seen, truth.not_dice):
            continue
        misses.append(Miss("extra", f"{seen.colour} {seen.value} ({seen.unread or 'read'})", seen.center_px))
    return misses, pairs, (flagged, found_flagged)


def _die_misses(die: TrueDie, seen: DieReading | None, *, with_colour: bool) -> list[Miss]:
    wanted = f"{die.colour} {die.value}"
    if seen is None:
        return [Miss("missing", wanted, die.center_px)]
    got = f"{wanted} read as {seen.colour} {seen.value} ({seen.unread or 'sure'}, {seen.confidence:.2f})"
    if seen.value != die.value and seen.value is not None:
        return [Miss("value", got, die.center_px)]
    if seen.unread is not None or seen.value is None:
        return [Miss("unread", got, die.center_px)]
    if with_colour and die.colour is not None and seen.colour != die.colour:
        return [Miss("colour", got, die.center_px)]
    return []


def _nearest(die: TrueDie, free: Sequence[DieReading]) -> DieReading | None:
    assert die.center_px is not None  # noqa: S101 - the caller asks for dice with places only
    x, y = die.center_px
    reach = 0.5 * die.edge_px if die.edge_px else 25.0
    ranked = sorted((float(np.hypot(seen.center_px[0] - x, seen.center_px[1] - y)), i) for i, seen in enumerate(free))
    return free[ranked[0][1]] if ranked and ranked[0][0] <= reach else None


def _is_at(seen: DieReading, places: Sequence[PointPx]) -> bool:
    """Return whether a die was read at one of these places, within half its own edge."""
    width, height = seen.box_px[2:]
    reach = max(width, height) / 2
    return any(np.hypot(seen.center_px[0] - x, seen.center_px[1] - y) <= reach for x, y in places)


def _nearest_covered(seen: DieReading, hidden: Sequence[TrueDie]) -> bool:
    """Return whether a die was read at the visible corner of a covered die: then any unread mark is right."""
    return any(
        die.center_px is not None
        and np.hypot(seen.center_px[0] - die.center_px[0], seen.center_px[1] - die.center_px[1]) < 1.2 * die.edge_px
        for die in hidden
    )


def _judge_multiset(truth: TruePicture, reading: TrayReading) -> _Judged:
    left = Counter(die.value for die in truth.dice)
    misses: list[Miss] = []
    pairs: list[tuple[int, int]] = []
    for seen in reading.dice:
        if seen.value is not None and seen.unread is None and left[seen.value] > 0:
            left[seen.value] -= 1
            pairs.append((seen.value, seen.value))
        else:
            misses.append(Miss("extra", f"{seen.value} ({seen.unread or 'read'})", seen.center_px))
    for value, count in sorted(left.items()):
        misses += [Miss("missing", str(value), None)] * count
        pairs += [(value, 0)] * count
    return misses, pairs, (0, 0)


@dataclass(frozen=True, slots=True)
class Report:
    """Verdicts on a folder, and their sums."""

    verdicts: tuple[Verdict, ...]

    @property
    def summary(self) -> dict[str, float]:
        """The sums, by name."""
        plain = [v for v in self.verdicts if v.plain]
        cocked = [v for v in self.verdicts if not v.plain]
        times = [v.elapsed_ms for v in self.verdicts] or [0.0]
        return {
            "pictures": len(self.verdicts),
            "plain": len(plain),
            "plain_exact": sum(v.exact for v in plain),
            "plain_exact_and_trusted": sum(v.exact and v.trusted for v in plain),
            "with_cocked": len(cocked),
            "with_cocked_not_trusted": sum(not v.trusted for v in cocked),
            "cocked_dice": sum(v.flagged_dice[0] for v in self.verdicts),
            "cocked_dice_flagged": sum(v.flagged_dice[1] for v in self.verdicts),
            "silent_errors": sum(v.silent for v in self.verdicts),
            "median_ms": round(float(np.median(times)), 2),
            "p95_ms": round(float(np.percentile(times, 95)), 2),
        }

    def to_json(self) -> dict[str, object]:
        """Return the report as JSON for a later `--compare`."""
        return {
            "summary": self.summary,
            "pictures": [
                {"image": v.image, "exact": v.exact, "trusted": v.trusted, "silent": v.silent, "plain": v.plain,
                 "misses": [f"{m.kind}: {m.text}" for m in v.misses]}
                for v in self.verdicts
            ],
        }  # fmt: skip

    def to_text(self) -> str:
        """Return the report as tables."""
        total = self.summary
        plain, silent = total["plain"], total["silent_errors"]
        lines = [
            f"pictures {total['pictures']}, plain {plain}, with cocked or stacked dice {total['with_cocked']}",
            f"plain exact             {_share(total['plain_exact'], plain)}",
            f"plain exact and trusted {_share(total['plain_exact_and_trusted'], plain)}",
            f"cocked or stacked: dice flagged {_share(total['cocked_dice_flagged'], total['cocked_dice'])}, "
            f"pictures not trusted {_share(total['with_cocked_not_trusted'], total['with_cocked'])}",
            f"silent errors (trusted and wrong) {silent}",
            f"time {total['median_ms']} ms median, {total['p95_ms']} ms 95th percentile",
            "",
            "true value down, read value across (- not found or no value):",
            "      " + "".join(f"{name:>6}" for name in ("-", 1, 2, 3, 4, 5, 6)),
        ]
        counts = Counter(pair for v in self.verdicts for pair in v.read_pairs)
        lines += [f"{true:>6}" + "".join(f"{counts[true, read]:>6}" for read in range(7)) for true in range(1, 7)]
        lines += ["", "by tag: plain exact, silent errors", *self._tag_lines(), ""]
        for v in self.verdicts:
            if v.misses:
                mark = "SILENT " if v.silent else ""
                lines.append(f"{mark}{v.image}: " + "; ".join(f"{m.kind}: {m.text}" for m in v.misses[:6]))
        return "\n".join(lines)

    def _tag_lines(self) -> list[str]:
        lines = []
        for tag in sorted({tag for v in self.verdicts for tag in v.tags}):
            with_tag = [v for v in self.verdicts if tag in v.tags]
            plain = [v for v in with_tag if v.plain]
            silent = sum(v.silent for v in with_tag)
            lines.append(f"  {tag:<28} {_share(sum(v.exact for v in plain), len(plain)):>20} {silent:>4}")
        return lines


def compare_text(before: dict[str, object], after: Report) -> str:
    """Return the changes since an earlier run.

    Raises:
        BadLabels: `before` is not of that form.
    """
    summary, pictures = before.get("summary"), before.get("pictures")
    if not isinstance(summary, dict) or not isinstance(pictures, list):
        raise BadLabels("the report to compare with has no summary and pictures: give one that evaluate --out wrote")
    lines = ["", "before -> after:"]
    for name, now in after.summary.items():
        lines.append(f"  {name:<26} {summary.get(name, '?')} -> {now}")
    earlier = {str(p.get("image")): p for p in pictures if isinstance(p, dict)}
    for v in after.verdicts:
        old = earlier.get(v.image)
        if old is None:
            continue
        was, is_now = (bool(old.get("exact")), bool(old.get("silent"))), (v.exact, v.silent)
        if was != is_now:
            lines.append(f"  {v.image}: {_state(*was)} -> {_state(*is_now)}")
    return "\n".join(lines)


def _state(exact: bool, silent: bool) -> str:
    return "exact" if exact else "SILENT ERROR" if silent else "not exact"


def _share(part: object, whole: object) -> str:
    if not isinstance(part, int) or not isinstance(whole, int) or whole == 0:
        return "none"
    return f"{part}/{whole} = {100.0 * part / whole:.1f} %"
