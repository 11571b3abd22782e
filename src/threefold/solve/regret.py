"""The templates of counterfactual regret minimization, on a game's sequence form.

Each player repeatedly asks of every move of every information set how much better it would have
been than what they did, if they had played to get there: its *regret*. Moves are then made in
proportion to their regrets so far, those without any not at all (*regret matching*; Hart and
Mas-Colell, 2000). What a player does on average over all rounds comes arbitrarily near to optimal
play (Zinkevich, Johanson, Bowling and Piccione, 2007). One round, for one player at a time:

1. What is done now counts for the average; in CFR+, later rounds count more.
2. What each own sequence is worth if the other player goes on as before: a row of payoffs times how
   likely the other one makes each column (the *plan*).
3. From the last sets back to the first: what a set is worth, and each move's regret. CFR+ forgets
   regrets below 0 (Tammelin, 2014).
4. From the first set on: the next strategy, and the plan that it comes to.

The average plan divided by the sum of the counts is again a plan. How far it is from optimal is
known exactly: see `best_response`.
"""

from dataclasses import dataclass

from threefold.engine.control import Control
from threefold.engine.records import Boxed, Real, Word
from threefold.solve.expansion import Array


@dataclass(slots=True, kw_only=True)
class Rounds:
    """How far it has gotten, and when it is enough."""

    done: Word = 0  # rounds so far
    most: Word = 0  # and at most
    next_look: Word = 1  # the round after which to see how good the averages are
    plus: Word = 0  # whether this is CFR+
    wanted: Real = 0.0  # an exploitability that is good enough
    total: Real = 0.0  # the sum of the counts of all rounds
    exploitability: Real = -1.0  # at the last look; below 0 before the first one


def worth_of(
    begin: int, end: int, row: Array, column: Array, payoff: Array, plan: Array, worth: Array
) -> None:
    """What each sequence of a player is worth, apart from what follows it."""
    for k in range(begin, end):
        total = 0.0
        for entry in range(row[k], row[k + 1]):
            total += payoff[entry] * plan[column[entry]]
        worth[k] = total


def best_response(
    p: int,
    parent: Array,
    first: Array,
    count: Array,
    sets: Array,
    sequences: Array,
    row: Array,
    column: Array,
    payoff: Array,
    plan: Array,
    worth: Array,
) -> float:
    """What player `p` gets by the best answer to the other one's plan; exact but for rounding."""
    worth_of(sequences[p], sequences[p + 1], row, column, payoff, plan, worth)
    for i in range(sets[p + 1] - 1, sets[p] - 1, -1):
        best = worth[first[i]]
        for k in range(first[i] + 1, first[i] + count[i]):
            best = max(best, worth[k])
        worth[parent[i]] += best
    return float(worth[sequences[p]])


def exploitability_of(
    total: float,
    parent: Array,
    first: Array,
    count: Array,
    sets: Array,
    sequences: Array,
    row: Array,
    column: Array,
    payoff: Array,
    average: Array,
    scaled: Array,
    worth: Array,
) -> float:
    """Half of what the best answers to both averages gain."""
    for k in range(len(average)):
        scaled[k] = average[k] / total
    gained = 0.0
    for p in range(2):
        gained += best_response(
            p, parent, first, count, sets, sequences, row, column, payoff, scaled, worth
        )
    return gained / 2


def respond(
    p: int,
    parent: Array,
    first: Array,
    count: Array,
    sets: Array,
    sequences: Array,
    row: Array,
    column: Array,
    payoff: Array,
    plan: Array,
    worth: Array,
    boxed_control: Boxed[Control],
) -> float:
    """The entry: `best_response`."""
    boxed_control[0].nodes += 1
    return best_response(p, parent, first, count, sets, sequences, row, column, payoff, plan, worth)


def play_rounds(
    parent: Array,
    first: Array,
    count: Array,
    sets: Array,
    sequences: Array,
    row: Array,
    column: Array,
    payoff: Array,
    regret: Array,
    strategy: Array,
    plan: Array,
    average: Array,
    scaled: Array,
    worth: Array,
    boxed_rounds: Boxed[Rounds],
    boxed_control: Boxed[Control],
) -> None:
    """The entry: rounds for both players until there were enough, or a stop between two rounds."""
    rounds, control = boxed_rounds[0], boxed_control[0]
    plus = rounds.plus != 0
    while rounds.done < rounds.most and control.stop == 0:
        counts = float(rounds.done + 1) if plus else 1.0
        for p in range(2):
            # Step 1. Count what is done now.
            for k in range(sequences[p], sequences[p + 1]):
                average[k] += counts * plan[k]
            # Step 2. What own sequences are worth.
            worth_of(sequences[p], sequences[p + 1], row, column, payoff, plan, worth)
            # Step 3. Regrets.
            for i in range(sets[p + 1] - 1, sets[p] - 1, -1):
                begin, end = first[i], first[i] + count[i]
                value = 0.0
                for k in range(begin, end):
                    value += strategy[k] * worth[k]
                for k in range(begin, end):
                    regret[k] += worth[k] - value
                    if plus and regret[k] < 0.0:
                        regret[k] = 0.0
                worth[parent[i]] += value
            # Step 4. The next strategy.
            for i in range(sets[p], sets[p + 1]):
                begin, end, total = first[i], first[i] + count[i], 0.0
                for k in range(begin, end):
                    total += max(regret[k], 0.0)
                reach = plan[parent[i]]
                for k in range(begin, end):
                    if total > 0.0:
                        strategy[k] = max(regret[k], 0.0) / total
                    else:
                        strategy[k] = 1.0 / count[i]
                    plan[k] = reach * strategy[k]
        rounds.done += 1
        rounds.total += counts
        if rounds.done >= rounds.next_look:
            rounds.next_look += 1 + rounds.done // 16
            rounds.exploitability = exploitability_of(
                rounds.total,
                parent,
                first,
                count,
                sets,
                sequences,
                row,
                column,
                payoff,
                average,
                scaled,
                worth,
            )
            if rounds.exploitability <= rounds.wanted:
                return


def plan_of(
    parent: Array,
    first: Array,
    count: Array,
    strategy: Array,
    plan: Array,
    boxed_control: Boxed[Control],
) -> None:
    """The entry: how likely each sequence is made by a strategy, as far as that is its player's."""
    for i in range(len(first)):
        if boxed_control[0].stop != 0:
            return
        for k in range(first[i], first[i] + count[i]):
            plan[k] = plan[parent[i]] * strategy[k]
