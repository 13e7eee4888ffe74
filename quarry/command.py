"""The command `quarry` and its subcommands; the function of a subcommand is imported when it is called."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter

from quarry.cli import Overrides, run
from quarry.version import __version__

GAMES_FORM = """
A games file holds one JSON object a line, with the keys

- hint: the hint for the player; always needed
- book_name: the lecture as the hint-giver calls it
- opening_sentence: the first sentence of the paragraph, verbatim; or
- paragraph_id: as `quarry ingest --paragraphs` gives it; null: the course does not hold the answer
- game_id: unique; game-LINE by default
- paragraph, pdf, page: text, file (or FOLDER/FILE) and page of the paragraph; they help to find it
- reader, cut: the program whose raw text `paragraph` is, such as pdfplumber and page
- association_domain, associative_word: a field, and a word of it that the paragraph brings to mind
- split: train, validation or test; by default drawn by paragraph and seed: .5, .2, .3
- in_text_layer: false if the PDF holds the paragraph as a picture
- kind, manner, policy: remarks of yours, which are not read

hint, book_name and opening_sentence are enough:

    {"hint": "what climbs", "book_name": "Botany", "opening_sentence": "Ivy grows towards light."}
"""
"""The form of a games file, for `--help`."""


app = App(
    "quarry",
    help="Finds one paragraph in a course of lecture PDFs, and proves how well it does.",
    version=__version__,
    version_flags=["--version", "-V"],
    # an empty default is not shown
    default_parameter=Parameter(negative=(), show_default=lambda value: value or None),
    exit_on_error=False,
    print_error=False,
)
games = App("games", help="Games that were played, and files of labelled games.")
app.command(games)

COMMANDS = {
    "play": (
        "evaluate.commands.play:play",
        "Play whole games: find the secret paragraph of a course of lectures.",
        "Example: quarry play --server http://127.0.0.1:8017 --games 3\n\n"
        "Example: quarry play --games 20 --json > games.json\n\n"
        "The command `quarry referees` lists the terms of a referee SPEC.",
    ),
    "ingest": (
        "ingest.command:ingest",
        "Split lecture PDFs into playable paragraphs and keep them in Chroma.",
        "Example: quarry ingest lectures/ --store data/store\n\n"
        "Example: quarry ingest --store data/store --list",
    ),
    "search": (
        "player.command:search",
        "Find the paragraphs that a hint describes.",
        'Example: quarry search --book "search and ranking" '
        '--hint "a rare word counts more than a common one"',
    ),
    "serve": (
        "evaluate.commands.serve:serve",
        "Run the practice game server.",
        "Example: quarry serve --store data/store --port 8017",
    ),
    "referees": (
        "evaluate.commands.serve:referees",
        "List the terms of a referee SPEC.",
        "Example: quarry referees",
    ),
    "questions": (
        "evaluate.commands.questions:questions",
        "Write the batch of questions that the player would send, per game.",
        "Example: quarry questions --games data/games/english.jsonl --split train --out batches.jsonl",
    ),
    "studio": (
        "evaluate.commands.studio:studio",
        "Open a local page to look at the course, games and runs, and to be the referee.",
        "Example: quarry studio --store data/store",
    ),
    "replay": (
        "evaluate.commands.runs:replay",
        "Measure the player on labelled games, against one referee, several, or answers in a file.",
        "Example: quarry replay --games data/games/english.jsonl --split test --referee none\n\n"
        "Example: quarry replay --games data/games/english.jsonl --split test --referee every --out table.json\n\n"
        "Example: quarry replay --games data/games/english.jsonl --batches batches.jsonl --answers answers.jsonl\n\n"
        "The command `quarry referees` lists the terms of a referee SPEC.",
    ),
    "compare": (
        "evaluate.commands.runs:compare",
        "Test presets, or runs that were written, against each other on the same games.",
        "Example: quarry compare --games data/games/english.jsonl --split test --presets dual,filtered",
    ),
    "report": (
        "evaluate.commands.runs:report",
        "Show runs as one HTML page that needs no network, or print the headline.",
        "Example: quarry report default.json dual.json --out report.html",
    ),
    "export": (
        "evaluate.commands.runs:export",
        "Write runs as TREC runs and qrels, and as parquet and csv.",
        "Example: quarry export default.json dual.json --out exported",
    ),
    "tune": (
        "evaluate.commands.tune:tune",
        "Fit the search's settings on training games, chosen on validation games, reported on test games.",
        "Example: quarry tune --games data/games/english.jsonl --trials 2000",
    ),
    "callbacks": (
        "evaluate.commands.callbacks:callbacks",
        "Write a player for a league's own process, or answer its calls from standard input.",
        "Example: quarry callbacks --write my_player.py",
    ),
    "games list": (
        "evaluate.commands.played_games:list_played",
        "List the games that were played, the oldest first.",
        "Example: quarry games list",
    ),
    "games show": (
        "evaluate.commands.played_games:show_played",
        "Show hint, questions, answers, guess and score of a game that was played.",
        "Example: quarry games show 0101001",
    ),
    "games check": (
        "evaluate.commands.labelled_games:check",
        "List the errors of a file of labelled games.",
        f"Example: quarry games check --store data/store --games data/games/english.jsonl\n\n{GAMES_FORM}",
    ),
    "games label": (
        "evaluate.commands.labelled_games:label",
        "Write labelled games with a person, paragraph by paragraph, checking the rule of the game.",
        "Example: quarry games label --store my/store --out my/games.jsonl",
    ),
    "games draw": (
        "evaluate.commands.labelled_games:draw",
        "Draw secrets of labelled games from PDFs as a referee's program holds them, to be given hints.",
        "Example: quarry games draw lectures/*.pdf --reader pdfplumber --cut page --n 20 "
        "--out secrets.jsonl",
    ),
    "doctor": (
        "evaluate.commands.doctor:doctor",
        "Say what is installed and found here, and what is lost by what is not.",
        "Example: quarry doctor --json",
    ),
}
"""Commands by name: the function, the help, and the end of the help."""
for name, (function, description, epilogue) in COMMANDS.items():
    group, _, own_name = name.rpartition(" ")
    parent = games if group else app
    parent.command(function, own_name, help=description, help_epilogue=epilogue)


@app.command(
    help_epilogue="Example: quarry completion bash > ~/.local/share/bash-completion/completions/quarry"
)
def completion(shell: Literal["bash", "zsh", "fish"]) -> None:
    """Print a script that lets a shell complete commands, options, files and values."""
    script = app.generate_completion(shell=shell)
    if shell == "bash":
        # the shell itself completes files, also those with blanks; SPECs hold colons
        script = script.replace('( $(compgen -f -- "${cur}") )', "()")
        script = script.replace(
            "complete -F",
            "COMP_WORDBREAKS=${COMP_WORDBREAKS//:}\ncomplete -o default -F",
        )
    print(script)


@app.meta.default
def launch(
    *words: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)],
    overrides: Annotated[Overrides, Parameter("*", group="Settings")] = Overrides(),
) -> Any:
    """Run a command; pass the overrides of the settings as the parameters that the command does not parse itself."""
    command, bound, unparsed = app.parse_args(words)
    if overrides != Overrides() and not unparsed:
        overrides.load()  # refuses a bad one
    return command(*bound.args, **bound.kwargs, **dict.fromkeys(unparsed, overrides))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code.

    Args:
        arguments: the words after `quarry`; None takes those of the process.
    """
    return run(app, arguments)
