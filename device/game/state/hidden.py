"""Whether what lies there is hidden: its result, and the picture of its dice. Pure."""

from device.game.state.layout import Layout
from device.game.state.states import Empty, Faulted, Rolling, State, roll_lying


def has_hidden_result(state: State) -> bool:
    """Whether the roll that lies there, or is next, is one whose result is not shown."""
    playing = state.resume if isinstance(state, Faulted) else state
    return state.table.campaign.asked.is_hidden(roll_lying(playing))


def has_hidden_dice(state: State) -> bool:
    """Whether a picture would show what is hidden: while the dice of a hidden roll may lie there, even after Reset."""
    playing = state.resume if isinstance(state, Faulted) else state
    if has_hidden_result(playing):
        return True
    lies_over = isinstance(playing, Empty | Rolling) and isinstance(playing.over, Layout)
    return lies_over and playing.table.campaign.asked.is_hidden(playing.table.next_roll - 1)
