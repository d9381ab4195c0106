"""Critical hits and misses of hits-pool, with the possible readings of "half"."""

from dataclasses import dataclass
from typing import Final

from rules.outcome import Ruling
from rules.rulings import ActiveRulings, yes_or_no

CRITICAL_MARGIN: Final = 6
"""Number of net hits that make a critical hit whatever the dice show."""
MIN_SIXES: Final = 2
MIN_DICE_WITHOUT_HIT: Final = 4

CRITICAL_RULINGS: Final = (
    Ruling(name="half", default="at_least_half", choices=("at_least_half", "rounded_down")),
    Ruling(name="critical_miss_dice", default=1, choices=(1, 2)),
    Ruling(name="both_criticals", default="report_both", choices=("report_both", "cancel")),
    yes_or_no("critical_hit_on_fail", default=True),
)


@dataclass(frozen=True, slots=True)
class CriticalRules:
    """The table's rules for critical rolls.

    Attributes:
        cancel: Whether a critical hit and a critical miss at once cancel each other.
    """

    half_rounded_down: bool
    miss_dice: int
    cancel: bool
    hit_on_fail: bool

    def judge(
        self, *, dice: int, sixes: int, ones: int, hits: int, threshold: int | None, chance_die: bool
    ) -> tuple[bool, bool]:
        """Return whether a roll is a critical hit and whether it is a critical miss (B8, B9, D3 to D6, D10)."""
        margin_reached = threshold is not None and hits - threshold >= CRITICAL_MARGIN
        hit = not chance_die and ((sixes >= MIN_SIXES and self._is_half(sixes, dice)) or margin_reached)
        if not self.hit_on_fail and threshold is not None and hits < threshold:
            hit = False
        many_ones = dice >= self.miss_dice and ones > 0 and self._is_half(ones, dice)
        miss = many_ones or (hits == 0 and dice >= MIN_DICE_WITHOUT_HIT)
        if self.cancel and hit and miss:
            return False, False
        return hit, miss

    def _is_half(self, count: int, dice: int) -> bool:
        return count >= dice // 2 if self.half_rounded_down else 2 * count >= dice


def read_critical_rules(settled: ActiveRulings) -> CriticalRules:
    """Return the critical rules that the rulings make."""
    return CriticalRules(
        half_rounded_down=settled["half"] == "rounded_down",
        miss_dice=int(settled["critical_miss_dice"]),
        cancel=settled["both_criticals"] == "cancel",
        hit_on_fail=settled["critical_hit_on_fail"] is True,
    )
