"""The table of a match of two players, as lines of text."""

from collections.abc import Mapping, Sequence
from typing import Final

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
) -> list[str]:
    """The table; `played` games of `games` took this process `seconds`."""
    tally = standing.tally
    rows = [(side, printable(name, _NAME)) for side, name in zip("AB", players, strict=True)]
    rows += [
        ("Games", _games(tally, games)),
        ("Pairs", _pairs(tally)),
        ("Elo", _elo(tally)),
    ]
    if standing.winnings is not None:
        per_game = signed(standing.winnings.per_game, digits=3)
        saved = _percent(standing.winnings.variance_saved)
        rows.append(("Points", f"{per_game} a game; the same dice saved {saved} of the variance"))
    if standing.sprt is not None:
        rows.append(("SPRT", _sprt(standing.sprt, tally.llr(standing.sprt))))
    if failures is not None and any(failures.values()):
        told = (f"{name.replace('_', ' ')} {count:,}" for name, count in failures.items())
        rows.append(("Failures", ", ".join(told)))
    if seconds is not None and played:
        rows.append(("Time", _time(tally, games, played, seconds)))
    return [f"{name:<{NAME_WIDTH}}{text}" for name, text in rows]


def conclusion(standing: Standing) -> str:
    """What the results say, in a sentence."""
    if standing.sprt is not None and (verdict := standing.verdict) is not None:
        return _decided(standing.sprt, verdict)
    tally = standing.tally
    if tally.games < 2 or tally.los is None:
        return "There are too few games to tell who is stronger."
    elo = tally.elo
    if elo.value is None:
        winner = "A" if tally.wins else "B"
        return f"{winner} won every game, so the difference in Elo has no upper limit."
    if elo.error is None:
        return "There are too few games to tell who is stronger."
    low, high = elo.value - elo.error, elo.value + elo.error
    if low > 0:
        return f"A is stronger than B, by {low:.0f} to {high:.0f} Elo (95% interval)."
    if high < 0:
        return f"B is stronger than A, by {-high:.0f} to {-low:.0f} Elo (95% interval)."
    return (
        f"No clear difference: A is between {-low:.0f} Elo weaker and {high:.0f} Elo stronger than "
        "B (95% interval). More games would narrow this down."
    )


def _decided(sprt: Sprt, verdict: Verdict) -> str:
    if verdict == "accepted":
        sure, by = 1 - sprt.alpha, f"by more than {sprt.elo0:g} {_unit(sprt)}"
        said = "Accepted: A is stronger than B" + (f", {by}" if sprt.elo0 else "")
    else:
        sure, by = 1 - sprt.beta, f"{sprt.elo1:g} {_unit(sprt)} stronger than B"
        said = f"Rejected: A is not {by}"
    return f"{said}. A test like this is right at least {sure:.0%} of the time."


def signed(estimate: Estimate, digits: int = 1) -> str:
    """`+55.6 ± 27.7`, with a dash for what is not determined."""
    if estimate.value is None:
        return "–"
    value = f"{estimate.value:+.{digits}f}"
    return value if estimate.error is None else f"{value} ± {estimate.error:.{digits}f}"


def duration(seconds: float) -> str:
    """`1:02:03`, or `2:03` below an hour."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _games(tally: Tally, games: int | None) -> str:
    of = "" if games is None else f" of {games:,}"
    score = "" if tally.score is None else f" ({_percent(tally.score)})"
    return (
        f"{tally.games:,}{of}: {tally.wins:,} won, {tally.draws:,} drawn "
        f"({_percent(tally.draw_rate)}), {tally.losses:,} lost; {tally.points:,g} points{score}"
    )


def _pairs(tally: Tally) -> str:
    return "  ".join(
        f"{name} {count:,}" for name, count in zip(_NAMES_OF_PAIRS, tally.pentanomial, strict=True)
    )


def _elo(tally: Tally) -> str:
    return (
        f"{signed(tally.elo)}, normalized {signed(tally.normalized_elo)}; "
        f"A is stronger: {_percent(tally.los)}"
    )


def _sprt(sprt: Sprt, llr: float) -> str:
    low, high = sprt.bounds
    shown = bar((llr - low) / (high - low), 20)
    test = f"{sprt.elo0:g} or {sprt.elo1:g} {_unit(sprt)}"
    verdict = sprt.verdict(llr)
    end = f": {verdict}" if verdict else ""
    return f"{test}: LLR {low:.2f} {shown} {high:.2f}, now {llr:+.2f}{end}"


def _unit(sprt: Sprt) -> str:
    return "Elo" if sprt.model == "logistic" else f"{sprt.model} Elo"


def _time(tally: Tally, games: int | None, played: int, seconds: float) -> str:
    rate = played / max(seconds, 1e-3)
    text = f"{duration(seconds)}, {rate:.3g} games/s"
    if games is not None and games > tally.games:
        text += f", {duration((games - tally.games) / rate)} left"
    return text


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}%"
