"""An evening's story as HTML to print, without scripts or its own styles. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from html import escape

from device.archive.evenings import Evening
from device.archive.luck import PushEnd, pushes_of_each
from device.archive.roll_summaries import RollSummary, Throw
from device.archive.statistics import pushes_text
from device.archive.zone import tray_zone
from device.body import face_word
from device.game.result_lines import row_costs
from device.game.table.roll_requests import met_text
from device.message import Text
from device.rule_messages import system_title
from device.storage.log_rows import kind_word
from device.texts.catalogue import LazyText, in_language, localizable, translate, word
from rules.system import JsonValue

DARK = frozenset({"black", "red", "green", "teal", "blue", "purple", "brown"})
"""Body colours that need white numbers."""


@dataclass(frozen=True, slots=True)
class StoryLook:
    language: str
    colours: Mapping[str, str]
    has_picture: Callable[[str], bool] = bool

    def text(self, words: Text) -> str:
        return escape(str(in_language(words, self.language)))


def story_title(evening: Evening) -> str:
    """Return an evening's title: its name, or else its day."""
    return evening.name or translate("memory.story.evening_of", day=_day(evening.rolls[0]))


def story_html(evening: Evening, look: StoryLook) -> str:
    rolls = evening.rolls
    title = look.text(story_title(evening))
    head = [f"<h1>{title}</h1>", f'<p class="when">{look.text(_when(evening))}</p>']
    facts = _facts(evening)
    listed = "".join(f"<li>{look.text(fact)}</li>" for fact in facts)
    rolls_html = "".join(_roll_html(roll, look) for roll in rolls)
    return f'<header>{"".join(head)}<ul class="facts">{listed}</ul></header><ol class="rolls">{rolls_html}</ol>'


def _when(evening: Evening) -> LazyText:
    first, last = evening.rolls[0], evening.rolls[-1]
    return translate(
        "memory.story.when", day=_day(first), begun=_time(first.at_local), ended=_time(last.at_local), zone=tray_zone()
    )


def _facts(evening: Evening) -> list[str]:
    rolls = evening.rolls
    won = sum(roll.final is not None and roll.final.success is True for roll in rolls)
    judged = sum(roll.final is not None and roll.final.success is not None for roll in rolls)
    tallies = pushes_of_each(rolls)
    pushes = sum(tally.pushes for tally in tallies)
    facts: list[str] = [translate("memory.story.rolls", count=len(rolls))]
    if evening.players:
        facts.append(translate("memory.story.players", names=evening.players))
    facts.append(translate("memory.story.played", systems=[system_title(system) for system in evening.systems]))
    if judged:
        facts.append(translate("memory.story.won", won=won, count=judged))
    if pushes:
        saved = sum(tally.ends[PushEnd.SAVED] for tally in tallies)
        facts.append(pushes_text(pushes, saved))
    rarest = _rarest(rolls)
    if rarest is not None:
        roll, chance = rarest
        whose = roll.notes.owner or translate("memory.story.somebody")
        facts.append(translate("memory.story.rarest", who=whose, time=_time(roll.at_local), chance=_percent(chance)))
    return facts


def _rarest(rolls: Iterable[RollSummary]) -> tuple[RollSummary, Fraction] | None:
    """Return the first throw that succeeded against the longest odds, if they were long."""
    against = [
        (roll, throw.p_success)
        for roll in rolls
        for throw in roll.throws[:1]
        if throw.success is True and throw.p_success is not None
    ]
    best = min(against, key=lambda one: one[1], default=None)
    return best if best is not None and best[1] <= Fraction(1, 3) else None


def _roll_html(roll: RollSummary, look: StoryLook) -> str:
    who = "" if roll.whose is None else look.text(roll.whose)
    what = escape(roll.notes.label) if roll.notes.label else ""
    name = ": ".join(part for part in (who, what) if part)
    about = "" if roll.aim_text is None else f" <small>{look.text(roll.aim_text)}</small>"
    throws = "".join(_throw_html(roll, throw, look, is_push=place > 0) for place, throw in enumerate(roll.throws))
    if not roll.throws:
        no_result = look.text(translate("memory.story.no_result"))
        throws = f'<p class="throw">{_dice_html(roll.seen, look)}<span>{no_result}</span></p>'
    compared = "" if roll.compared_text is None else f'<p class="compared">{look.text(roll.compared_text)}</p>'
    notes = "".join(f'<p class="note">{look.text(note)}</p>' for note in _corrections(roll))
    pictures = "".join(_picture_html(throw, look) for throw in roll.throws)
    when = f'<time datetime="{escape(roll.at)}">{_time(roll.at_local)}</time>'
    return (
        f'<li id="roll-{roll.id}"><div class="roll-text"><h2>{when}'
        f"{f' <b>{name}</b>' if name else ''}{about}</h2>{throws}{compared}{notes}</div>"
        f"{f'<div class=pictures>{pictures}</div>' if pictures else ''}</li>"
    )


def _throw_html(roll: RollSummary, throw: Throw, look: StoryLook, *, is_push: bool) -> str:
    value, name = throw.result[0], throw.result_word
    words: list[str] = []
    if throw.p_success is not None:
        words.append(translate("memory.story.chance", chance=_percent(throw.p_success)))
    if throw.met is not None:
        words.append(localizable(met_text(throw.met, throw.by)))
    words += map(localizable, row_costs(roll.system, throw.outcome, roll.context))
    result = "" if name is None else f"<strong>{escape(str(value))} {look.text(name)}</strong>"
    lead = f"<em>{look.text(translate('memory.story.pushed'))}</em>" if is_push else ""
    more = "".join(f"<span>{look.text(one)}</span>" for one in words)
    mark = {True: " won", False: " lost", None: ""}[throw.success]
    return f'<p class="throw{mark}">{lead}{_dice_html(throw.dice, look)}{result}{more}</p>'


def _dice_html(dice: Sequence[Mapping[str, JsonValue]], look: StoryLook) -> str:
    return "".join(_die_html(die, look) for die in dice)


def _die_html(die: Mapping[str, JsonValue], look: StoryLook) -> str:
    body = look.colours.get(str(die["colour"]), "none")
    ink = " dark" if body in DARK else ""
    shown = look.text(face_word(die["value"]))
    read = die.get("read_value")
    struck = "" if "read_value" not in die or read == die["value"] else f"<s>{look.text(face_word(read))}</s> "
    kind = escape(kind_word(die))
    name = f"{look.text(word(str(die['role'] or die['colour'] or 'unknown')))} {kind}".strip()
    small = f" <small>{kind}</small>" if kind else ""
    return f'<span class="die body-{escape(body)}{ink}" title="{name}">{struck}{shown}{small}</span>'


def _corrections(roll: RollSummary) -> list[str]:
    notes: list[str] = []
    for one in roll.corrections:
        kind = one.get("word")
        if kind is not None:
            notes.append(translate(f"memory.story.correction.{kind}"))
        elif one["value"] is not None:
            read, value = face_word(one.get("read_value")), face_word(one["value"])
            notes.append(translate("memory.story.correction.shows", read=read, value=value))
        elif one["colour"] is not None:
            notes.append(translate("memory.story.correction.colour", colour=word(str(one["colour"]))))
        else:
            notes.append(translate("memory.story.correction.taken_back"))
    return notes


def _picture_html(throw: Throw, look: StoryLook) -> str:
    if throw.picture_file is None or not look.has_picture(throw.picture_file):
        return ""
    about = look.text(translate("memory.story.picture"))
    return f'<img src="/api/rolls/{throw.picture}/picture.jpg" alt="{about}" loading="lazy">'


def _day(roll: RollSummary) -> LazyText:
    at = roll.at_local
    return translate("page.date", year=f"{at.year:04}", month=f"{at.month:02}", day=f"{at.day:02}")


def _time(at: datetime) -> str:
    return f"{at:%H:%M}"


def _percent(chance: Fraction) -> LazyText:
    """Return a probability in percent, never rounded to 0 or 100."""
    percent = round(100 * float(chance))
    if 0 < chance < 1:
        percent = min(99, max(1, percent))
    return translate("page.odds.percent", number=percent)
