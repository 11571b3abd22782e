"""The table of a match of two players, as lines of text."""

from collections.abc import Mapping, Sequence
from typing import Final

from threefold.arena.record import ABANDONED
from threefold.arena.sprt import Sprt, Verdict
from threefold.arena.statistics import Estimate, Standing, Tally
from threefold.engine.progress import bar
from threefold.rules.text import printable

#: Where the text of each line begins, after what it is about.
NAME_WIDTH: Final = 9
#: The longest name of a player that is shown whole.
_NAME: Final = 60
_NAMES_OF_PAIRS: Final = ("LL", "LD", "WL+DD", "WD", "WW")


def lines(
    standing: Standing,
    players: Sequence[str],
    *,
    games: int | None = None,
    played: int = 0,
    seconds: float | None = None,
    failures: Mapping[str, int] | None = None,
    left: int | None = None,
) -> list[str]:
    """The table; `played` games of `games` took this process `seconds`, and `left` are to come."""
    tally = standing.tally
    rows = [(side, printable(name, _NAME)) for side, name in zip("AB", players, strict=True)]
    rows += [
        ("Games", _games(tally, games)),
        ("Pairs", _pairs(tally)),
        ("Elo", _elo(tally)),
    ]
    if standing.winnings is not None:
        per_game = signed(_shown(tally, standing.winnings.per_game), digits=3)
        saved = "–" if tally.is_short else _percent(standing.winnings.variance_saved)
        rows.append(("Points", f"{per_game} a game; the same dice saved {saved} of the variance"))
    if standing.sprt is not None:
        rows.append(("SPRT", _sprt(standing.sprt, tally.llr(standing.sprt))))
    shown = [_line(name, text) for name, text in rows]
    shown += failure_lines(failures or {})
    if seconds is not None and played:
        shown.append(_line("Time", pace(left, played, seconds)))
    return shown


def failure_lines(failures: Mapping[str, int]) -> list[str]:
    """What went wrong, in up to two lines: games that a player lost by it, and games given up."""
    found = []
    lost = {name: count for name, count in failures.items() if name != ABANDONED}
    if any(lost.values()):
        told = (f"{name.replace('_', ' ')} {count:,}" for name, count in lost.items())
        found.append(_line("Failures", ", ".join(told)))
    if given_up := failures.get(ABANDONED, 0):
        what = "1 game: its worker" if given_up == 1 else f"{given_up:,} games: their workers"
        found.append(_line("Given up", f"{what} died"))
    return found


def _line(name: str, text: str) -> str:
    return f"{name:<{NAME_WIDTH}}{text}"


def conclusion(standing: Standing) -> str:
    """What the results say, in a sentence."""
    if standing.sprt is not None and (verdict := standing.verdict) is not None:
        return _decided(standing.sprt, verdict)
    tally = standing.tally
    if tally.is_short:
        return "There are too few games to tell who is stronger."
    elo, (low, high) = tally.elo, tally.elo_limits
    if elo.value is None:
        winner = "A" if tally.wins else "B"
        return f"{winner} won every game: it is stronger, but there is no telling by how much."
    if elo.error is None:
        return (
            "Every pair of games had the same score, so there is no telling who is stronger. "
            "Different openings would show more."
        )
    if low is not None and high is not None:
        low, high = elo.value - elo.error, elo.value + elo.error
    if low is not None and low > 0:
        return f"A is stronger than B, {_by(low, high)} Elo (95% interval)."
    if high is not None and high < 0:
        return f"B is stronger than A, {_by(high, low)} Elo (95% interval)."
    ends = [] if low is None else [f"{abs(low):.0f} Elo weaker"]
    ends += [] if high is None else [f"{abs(high):.0f} Elo stronger"]
    where = f"between {' and '.join(ends)}" if len(ends) == 2 else f"at most {ends[0]}"
    return (
        f"No clear difference: A is {where} than B (95% interval). "
        "More games would narrow this down."
    )


def _by(near: float, far: float | None) -> str:
    """How large a difference is, by the ends of its interval."""
    if far is None:
        return f"by at least {abs(near):.0f}"
    return f"by {abs(near):.0f} to {abs(far):.0f}"


def _decided(sprt: Sprt, verdict: Verdict) -> str:
    if verdict == "accepted":
        said, wrong = f"Accepted: A is {_beyond(sprt, sprt.elo0, 'stronger', 'weaker')}", sprt.alpha
    else:
        said, wrong = f"Rejected: A is {_beyond(sprt, -sprt.elo1, 'weaker', 'stronger')}", sprt.beta
    return f"{said} than B. Such a test makes this mistake in at most about {wrong:.0%} of matches."


def _beyond(sprt: Sprt, elo: float, more: str, less: str) -> str:
    """What a difference that is beyond so many Elo, to the side of `more`, is in words."""
    by = f"{abs(elo):g} {_unit(sprt)}"
    return f"not {by} {less}" if elo < 0 else f"more than {by} {more}" if elo else more


def signed(estimate: Estimate, digits: int = 1) -> str:
    """`+55.6 ± 27.7`, with a dash for what is not determined."""
    if estimate.value is None:
        return "–"
    error = "–" if estimate.error is None else f"{estimate.error:.{digits}f}"
    return f"{estimate.value:+z.{digits}f} ± {error}"


def _shown(tally: Tally, estimate: Estimate) -> Estimate:
    """An estimate, without its error if there are too few games to know it."""
    return Estimate(estimate.value, None) if tally.is_short else estimate


def duration(seconds: float) -> str:
    """`1:02:03`, or `2:03` below an hour."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _games(tally: Tally, games: int | None) -> str:
    of = "" if games is None else f" of {games:,}"
    score = "" if tally.score is None else f" ({_percent(tally.score)})"
    points = f"{tally.points:,g} point{'' if tally.points == 1 else 's'}"
    return (
        f"{tally.games:,}{of}: {tally.wins:,} won, {tally.draws:,} drawn "
        f"({_percent(tally.draw_rate)}), {tally.losses:,} lost; {points}{score}"
    )


def _pairs(tally: Tally) -> str:
    return "  ".join(
        f"{name} {count:,}" for name, count in zip(_NAMES_OF_PAIRS, tally.pentanomial, strict=True)
    )


def _elo(tally: Tally) -> str:
    elo, normalized = (signed(_shown(tally, each)) for each in (tally.elo, tally.normalized_elo))
    superior = "–" if tally.is_short else _percent(tally.los)
    return f"{elo}, normalized {normalized}; A is stronger: {superior}"


def _sprt(sprt: Sprt, llr: float) -> str:
    low, high = sprt.bounds
    shown = bar((llr - low) / (high - low), 20)
    test = f"{sprt.elo0:g} or {sprt.elo1:g} {_unit(sprt)}"
    verdict = sprt.verdict(llr)
    end = f": {verdict}" if verdict else ""
    return f"{test}: LLR {low:.2f} {shown} {high:.2f}, now {llr:+.2f}{end}"


def _unit(sprt: Sprt) -> str:
    return "Elo" if sprt.model == "logistic" else f"{sprt.model} Elo"


def pace(left: int | None, played: int, seconds: float) -> str:
    """`0:42, 3.1 games/s, 1:20 left`."""
    if not played:
        return duration(seconds)
    rate = played / max(seconds, 1e-3)
    text = f"{duration(seconds)}, {rate:.3g} games/s"
    if left:
        text += f", {duration(left / rate)} left"
    return text


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}%"
