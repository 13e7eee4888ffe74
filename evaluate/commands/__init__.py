"""The commands of `python -m evaluate`: each reads its options and calls one package of `evaluate`."""

_GAMES, _RUNS, _TUNE = (
    f"evaluate.commands.{name}" for name in ("games", "runs", "tune")
)
COMMANDS = {
    "serve": (_GAMES, "run the practice game server"),
    "referees": (_GAMES, "list the terms of a referee SPEC"),
    "games check": (_GAMES, "list the errors of a games file"),
    "games label": (
        _GAMES,
        "write labelled games with a person, paragraph by paragraph, checking the rule of the game",
    ),
    "games draw": (
        _GAMES,
        "draw secrets from PDFs as a referee's program holds them, to be given hints",
    ),
    "questions": (
        _GAMES,
        "write the batch of questions that the player would send, per game",
    ),
    "studio": (
        "evaluate.commands.studio",
        "open a local page to look at the course, games and runs, and to be the referee",
    ),
    "replay": (
        _RUNS,
        "measure the player on labelled games, against one referee, several, or answers in a file",
    ),
    "compare": (
        _RUNS,
        "test presets, or runs that were written, against each other on the same games",
    ),
    "report": (
        _RUNS,
        "show runs as one HTML page that needs no network, or print the headline",
    ),
    "export": (_RUNS, "write runs as TREC runs and qrels, and as parquet and csv"),
    "tune": (
        _TUNE,
        "fit the search's settings on training games, chosen on validation games, reported on test games",
    ),
}
"""Module and summary of each command."""
