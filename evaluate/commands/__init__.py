"""The commands of `python -m evaluate`: each reads its options and calls one room."""

SUMMARIES = {
    "serve": "run the practice game server",
    "replay": "measure the player on labelled games, against one referee, several, or answers in a file",
    "compare": "test presets, or runs that were written, against each other on the same games",
    "tune": "fit the search's settings on training games, chosen on validation games, reported on test games",
    "report": "summarise runs in words or, with --out, as one HTML page that needs no network",
    "export": "write runs as TREC runs and qrels, and as parquet and csv",
    "games check": "say what is wrong with a games file",
    "games label": "write labelled games with a person, paragraph by paragraph, checking the rule of the game",
    "questions": "write the batch of questions that the player would send, per game",
    "calibrate search": "fit relevance, references and fusion for the embedder of a store",
    "calibrate prior": "fit how relevance becomes the belief before the questions, as settings of `game`",
    "calibrate rates": "learn from respondents' answers how often they err on each kind of question",
    "calibrate tokens": "fit the compact form of a model's token vectors on the texts of stores; then ingest again",
    "calibrate words": "fit what makes an associative word likely to your own games",
}
"""Of the commands, by name. A command of two words is in the module that its first word names."""
