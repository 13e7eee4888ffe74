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
- paragraph, pdf, page: the whole text, file and page of the paragraph: these help to find it
- reader, cut: the program whose raw text `paragraph` is, such as pdfplumber and page
- association_domain, associative_word, split (train, validation or test), in_text_layer (true or false)
- kind, manner, policy: remarks of yours, which are not read

hint, book_name and opening_sentence are enough:

    {"hint": "what climbs", "book_name": "Botany", "opening_sentence": "Ivy grows towards light."}
"""
"""The form of a games file, for `--help`."""


def _default_shown(value: Any) -> Any:
    """Return the default that the help of an option shows; None for an empty one."""
    return value or None


app = App(
    "quarry",
    help="Finds one paragraph in a course of lecture PDFs, and proves how well it does.",
    version=__version__,
    version_flags=["--version", "-V"],
    default_parameter=Parameter(negative=(), show_default=_default_shown),
    exit_on_error=False,
    print_error=False,
)
games = App("games", help="Games that were played, and files of labelled games.")
app.command(games)

app.command(
    "evaluate.commands.play:play",
    help="Play whole games: find the secret paragraph of a course of lectures.",
    help_epilogue="Example: quarry play --server http://127.0.0.1:8017 --games 3\n\n"
    "Example: quarry play --games 20 --json > games.json\n\n"
    "The command `quarry referees` lists the terms of a referee SPEC.",
)
app.command(
    "ingest.command:ingest",
    help="Split lecture PDFs into playable paragraphs and keep them in Chroma.",
    help_epilogue="Example: quarry ingest lectures/ --store data/store\n\n"
    "Example: quarry ingest --store data/store --list",
)
app.command(
    "player.command:search",
    help="Find the paragraphs that a hint describes.",
    help_epilogue='Example: quarry search --book "search and ranking" '
    '--hint "a rare word counts more than a common one"',
)
app.command(
    "evaluate.commands.games:serve",
    help="Run the practice game server.",
    help_epilogue="Example: quarry serve --store data/store --port 8017",
)
app.command(
    "evaluate.commands.games:referees",
    help="List the terms of a referee SPEC.",
    help_epilogue="Example: quarry referees",
)
app.command(
    "evaluate.commands.games:questions",
    help="Write the batch of questions that the player would send, per game.",
    help_epilogue="Example: quarry questions --games data/games/english.jsonl --split train --out batches.jsonl",
)
app.command(
    "evaluate.commands.studio:studio",
    help="Open a local page to look at the course, games and runs, and to be the referee.",
    help_epilogue="Example: quarry studio --store data/store",
)
app.command(
    "evaluate.commands.runs:replay",
    help="Measure the player on labelled games, against one referee, several, or answers in a file.",
    help_epilogue="Example: quarry replay --games data/games/english.jsonl --split test --referee none\n\n"
    "Example: quarry replay --games data/games/english.jsonl --split test --referee every --out table.json\n\n"
    "Example: quarry replay --games data/games/english.jsonl --batches batches.jsonl --answers answers.jsonl\n\n"
    "The command `quarry referees` lists the terms of a referee SPEC.",
)
app.command(
    "evaluate.commands.runs:compare",
    help="Test presets, or runs that were written, against each other on the same games.",
    help_epilogue="Example: quarry compare --games data/games/english.jsonl --split test --presets dual,filtered",
)
app.command(
    "evaluate.commands.runs:report",
    help="Show runs as one HTML page that needs no network, or print the headline.",
    help_epilogue="Example: quarry report default.json dual.json --out report.html",
)
app.command(
    "evaluate.commands.runs:export",
    help="Write runs as TREC runs and qrels, and as parquet and csv.",
    help_epilogue="Example: quarry export default.json dual.json --out exported",
)
app.command(
    "evaluate.commands.tune:tune",
    help="Fit the search's settings on training games, chosen on validation games, reported on test games.",
    help_epilogue="Example: quarry tune --games data/games/english.jsonl --trials 2000",
)
app.command(
    "evaluate.commands.callbacks:callbacks",
    help="Write a player for a league's own process, or answer its calls from standard input.",
    help_epilogue="Example: quarry callbacks --write my_player.py",
)
games.command(
    "evaluate.commands.journal:list_games",
    "list",
    help="List the games that were played, the oldest first.",
    help_epilogue="Example: quarry games list",
)
games.command(
    "evaluate.commands.journal:show",
    help="Show hint, questions, answers, guess and score of a game that was played.",
    help_epilogue="Example: quarry games show 0101001",
)
games.command(
    "evaluate.commands.games:check",
    help="List the errors of a games file.",
    help_epilogue=f"Example: quarry games check --store data/store --games data/games/english.jsonl\n\n{GAMES_FORM}",
)
games.command(
    "evaluate.commands.games:label",
    help="Write labelled games with a person, paragraph by paragraph, checking the rule of the game.",
    help_epilogue="Example: quarry games label --store my/store --out my/games.jsonl",
)
games.command(
    "evaluate.commands.games:draw",
    help="Draw secrets from PDFs as a referee's program holds them, to be given hints.",
    help_epilogue="Example: quarry games draw lectures/*.pdf --reader pdfplumber --cut page --n 20 "
    "--out secrets.jsonl",
)
app.command(
    "evaluate.commands.doctor:doctor",
    help="Say what is installed and found here, and what is lost by what is not.",
    help_epilogue="Example: quarry doctor --json",
)


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
