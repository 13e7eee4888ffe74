"""Writers of runs and comparisons as text for a terminal of 80 columns, and of tables of referees in Markdown."""

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from evaluate.runs.comparison import UNDECIDED, PairedTest
from evaluate.runs.differences import describe_differences
from evaluate.runs.measures import format_with_interval
from evaluate.runs.run import Run
from quarry.terminal import pluralize

MAX_LOST_GAMES = 20
"""Maximum number of lost games that are explained."""
LINE_WIDTH = 80
"""Maximum number of characters of a line of running text."""
N_ACROSS = 3
"""Maximum number of runs next to each other in a table."""
LOST_AT = {
    "ingest": "at ingest",
    "book": "at the book",
    "search": "in the search",
    "label": "by the label",
    "answers": "by the answers",
}
"""Steps at which games are lost, in words."""
FIGURES = {
    "won": ("won", ".3f", ".2f"),
    "won_more_than_hint": ("than the hint alone", "+.3f", "+.2f"),
    "private_score": ("private score", ".1f", ".1f"),
    "brier": ("Brier", ".4f", ".3f"),
    "log_score": ("log score", ".3f", ".2f"),
}
"""Figures of the table of referees: head of the column, format of the figure, and format of its interval."""


def format_run(run: Run) -> Iterator[str]:
    """Yield lines with the figures of a run and its first lost games."""
    document = run.as_json()
    yield (
        f"{document['games']} games, {document['unanswerable']} of them unanswerable, "
        f"{document['lost_at_ingest']} lost at ingest"
    )
    yield (
        f"  opening sentence exact {_format_percent(document['opening_sentence_exact'])}, "
        f"book resolved {_format_percent(document['book_resolved'])}"
    )

    for name, (value, ends) in run.figures.items():
        yield f"  {name:11} {format_with_interval(value, ends)}"
    if run.won is not None:
        yield (
            f"  sentence exact {_format_percent(document['sentence_exact'])}, "
            f"private score {document['private_score']:.1f}"
        )

    for edition, figures in document["editions"].items():
        yield (
            f"  {edition}: right page {figures['right_page']:.3f}, "
            f"won {figures['similar']:.3f}, "
            f"points of the sentence {figures['points']:.1f}"
        )

    if document["win_ideal"] is not None:
        yield f"  ideal questions win {document['win_ideal']:.3f}"

    times = []
    for part, ms in document["latency_ms"].items():
        if ms:
            times.append(f"{part} {ms['p50']:.1f} / {ms['p95']:.1f}")
    yield f"  ms at p50 / p95: {', '.join(times)}"

    plays = run.per_game
    lost_plays = [*filter(itemgetter("lost_at"), plays)]
    counts = Counter(map(itemgetter("lost_at"), lost_plays))
    causes = ", ".join(f"{counts[cause]} {words}" for cause, words in LOST_AT.items())
    yield f"  lost: {len(lost_plays)} of {len(plays)} ({causes})"
    for play in lost_plays[:MAX_LOST_GAMES]:
        repeat = f", repeat {play['repeat'] + 1}" if run.repeats > 1 else ""
        yield f"    {play['game_id']}{repeat}: {play['fate']}"
    if len(lost_plays) > MAX_LOST_GAMES:
        yield f"    ... and {len(lost_plays) - MAX_LOST_GAMES} more; `report` shows every game"


def _format_percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def format_comparison(
    runs: Sequence[Run], tests: Sequence[PairedTest]
) -> Iterator[str]:
    """Yield lines with the figures of each run, and the tests of each run against the first."""
    n_stores = len({run.store_fingerprint for run in runs})
    over = f", over {pluralize(n_stores, 'store')}" if n_stores > 1 else ""
    yield f"{pluralize(len(runs[0].answerable_games), 'answerable game')}{over}, 95% intervals in brackets"
    for run in runs[1:]:
        differences = describe_differences(runs[0], run)
        line = f"what differs in {run.name} from {runs[0].name}: {differences}"
        yield from textwrap.wrap(line, LINE_WIDTH, subsequent_indent="  ")
    for start in range(0, len(runs), N_ACROSS):
        yield ""
        yield from _format_figures(runs[start : start + N_ACROSS])

    for run in runs[1:]:
        yield ""
        yield f"{run.name} against {runs[0].name}"
        yield f"{'':13}{'difference':25}{'p':>6}{'corrected':>11}"
        for test in tests:
            if test.preset == run.name:
                yield _format_test(test)
    yield ""
    yield "p: paired randomisation tests. Corrected: by Holm for the measures that differ."
    if any(test.n_to_decide for test in tests):
        yield "open, N games: about N games would show a difference of this size."


def _format_figures(runs: Sequence[Run]) -> Iterator[str]:
    """Yield a head, and a line for each figure with a column for each run."""
    yield " " * 11 + "".join(f"{_shorten_name(run.name):>23}" for run in runs)
    for name in runs[0].figures:
        line = f"{name:11}"
        for run in runs:
            figure = run.figures.get(name)
            line += f"{format_with_interval(*figure) if figure else '':>23}"
        yield line


def _shorten_name(name: str) -> str:
    return name if len(name) <= 22 else f"{name[:21]}…"


def _format_test(test: PairedTest) -> str:
    ends = (test.low, test.high)
    change = format_with_interval(test.difference, ends, "+.3f", "+.3f")
    verdict: str = test.verdict
    if test.n_differ == 0:
        verdict = "same in every game"
    elif test.n_to_decide is not None:
        verdict = f"open, {test.n_to_decide:,} games"
    elif verdict == UNDECIDED:
        verdict = "open"
    return f"  {test.measure:11}{change:25}{test.p:6.4f}{test.p_holm:11.4f}  {verdict}"


def format_table(table: Mapping[str, Any]) -> str:
    """Write a table of referees in Markdown."""
    heads = [head for head, _, _ in FIGURES.values()]
    rows = [["referee", "plays", *heads, "confidence"]]
    rows.append(["---"] * len(rows[0]))
    rows.append(["the hint alone", *_format_cells(table["hint_alone"])])
    rows[-1][2 + list(FIGURES).index("won_more_than_hint")] = ""
    for line in table["referees"]:
        rows.append([f"`{line['referee']}`", *_format_cells(line)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _format_cells(line: Mapping[str, Any]) -> list[str]:
    """Return the cells of a referee's row after its name."""
    cells = [str(line["plays"])]
    for figure, (_, *forms) in FIGURES.items():
        cells.append(
            format_with_interval(line[figure], line[f"{figure}_interval"], *forms)
        )
    return [*cells, f"{line['confidence']:.3f}"]
