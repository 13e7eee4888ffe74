"""The commands of `python -m evaluate`: each reads its options and calls one package of `evaluate`."""

MODULES = {
    "games": {
        "serve": "run the practice game server",
        "referees": "list the terms of a referee SPEC",
        "games check": "list the errors of a games file",
        "games label": "write labelled games with a person, paragraph by paragraph, checking the rule of the game",
        "games draw": "draw secrets from PDFs as a referee's program holds them, to be given hints",
        "questions": "write the batch of questions that the player would send, per game",
    },
    "studio": {
        "studio": "open a local page to look at the course, games and runs, and to be the referee"
    },
    "runs": {
        "replay": "measure the player on labelled games, against one referee, several, or answers in a file",
        "compare": "test presets, or runs that were written, against each other on the same games",
        "report": "show runs as one HTML page that needs no network, or print the headline",
        "export": "write runs as TREC runs and qrels, and as parquet and csv",
    },
    "tune": {
        "tune": "fit the search's settings on training games, chosen on validation games, reported on test games",
        "calibrate search": "fit relevance and fusion for the embedder of a store",
        "calibrate prior": "fit where secret passages begin, and how often a named book holds them",
    },
}
"""Summaries of the commands by module and name."""
SUMMARIES = {
    name: summary
    for summaries in MODULES.values()
    for name, summary in summaries.items()
}
