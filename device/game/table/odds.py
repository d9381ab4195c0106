"""Exact odds for what lies there now: the declared pool before its throw, a push of the dice after it."""

from device.game.state.states import AwaitingPush, Faulted, Resolved, Scored, State
from rules.errors import BadRequest
from rules.system import Facts, JsonValue, find_system


def odds_now(state: State) -> Facts:
    """Odds in the outside contract's words, by the table's rulings, context and typed dice.

    Returns:
        `pool` and `table`, each None where it has no meaning or the system cannot say.
    """
    state = state.resume if isinstance(state, Faulted) else state
    table = state.table
    pool: JsonValue = None
    if table.pool is not None and not isinstance(state, AwaitingPush):
        levels = tuple(die.level for die in table.typed)
        pool = pool_odds(state, table.pool.as_json(), levels, table.context)
    lying: JsonValue = None
    # The odds of a push stay in sight until its dice have been thrown, be it wrongly.
    result = state.first if isinstance(state, AwaitingPush) and state.after is None else state
    if isinstance(result, Scored | Resolved) and result.outcome.push.eligible:
        dice: list[JsonValue] = [
            {"role": die.role.value, "value": die.value, "sides": die.sides} for die in result.roll
        ]
        lying = _ask(state, {"table": dice, "context": {**table.context, "pushes": result.pushes}})
    return {"pool": pool, "table": lying}


def pool_odds(state: State, pool: Facts, levels: tuple[str, ...], context: Facts) -> JsonValue:
    """Odds of a pool before its throw; None where the system cannot say."""
    system = find_system(state.table.system)
    counts = {role: count for role, count in pool.items() if isinstance(count, int)}
    return _ask(state, {**system.pool_odds_request(counts, levels, context), "context": dict(context)})


def _ask(state: State, request: Facts) -> JsonValue:
    system = find_system(state.table.system)
    rulings = dict(state.table.rulings.get(system.id, {}))
    try:
        return dict(system.odds({"system": system.id, "rulings": rulings, **request}))
    except BadRequest:
        return None
