"""The commands `replay`, `compare`, `report` and `export`, which make, compare and show runs over labelled games."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from configs.directories import DEFAULT_COLLECTION
from configs.errors import SettingsError
from configs.project import find_project
from configs.settings import Settings
from evaluate.commands.options import (
    Measures,
    Out,
    RunOptions,
    Runs,
    report_lost,
    select_games,
    write_text,
)
from evaluate.errors import RunError, refuse_options, writing
from evaluate.referee.spec import (
    EVERY,
    HINT_ALONE,
    SPECS,
    SeededSpec,
    repeat_referee,
    seed_referees,
)
from evaluate.replay.batches import read_answered
from evaluate.replay.presets import Belief, load_presets, replay_each, with_belief
from evaluate.replay.replay import Batches, Replay
from evaluate.runs import comparison
from evaluate.runs.files import COMPARISON, read_runs, write_finished, write_run
from evaluate.runs.measures import find_measures
from evaluate.runs.run import MAX_REPEATS, Run
from evaluate.runs.text import format_comparison, format_run, format_table
from player.writer.options import WriterOptions
from quarry.cli import Overrides, ParsedOverrides, Preset, WholeNumber, complete_presets
from quarry.terminal import visible, visible_json

REPEATS_OF_SEVERAL = 3
"""Default number of plays of each game against each of several referees."""
Repeats = Annotated[WholeNumber, Parameter(validator=Number(gte=1, lte=MAX_REPEATS))]


@dataclass(frozen=True)
class ReplayOptions(RunOptions):
    """Options of `replay` alone.

    Attributes:
        referees: SPEC of the referee (default: none); repeat it for a table of several, or name every for all kinds.
        batches: Questions as `questions` writes them, with --answers.
        answers: Answers of somebody else, {"game_id", "answers": [{"question_number", "answer"}]} a line.
        lost_in: Play only the games that were lost in this run.
        repeats: Plays of each game, each with another seed (default: 1, of several referees 3).
        out: Also write the run to this file, RUN.json, with RUN.games.jsonl, or the table; the same command resumes
            an interrupted replay.
    """

    referees: Annotated[
        tuple[str, ...],
        Parameter("--referee", completer=lambda context: (HINT_ALONE, EVERY, *SPECS)),
    ] = ()
    batches: Path | None = None
    answers: Path | None = None
    lost_in: Path | None = None
    repeats: Repeats | None = None
    out: Out | None = None

    @property
    def specs(self) -> tuple[str, ...]:
        """The SPECs of the referees."""
        every = self.referees == (EVERY,)
        return SPECS if every else self.referees or (HINT_ALONE,)

    @property
    def is_table(self) -> bool:
        """Whether the replay makes a table of several referees."""
        return len(self.specs) != 1

    def seed_referees(self) -> list[SeededSpec]:
        """Return the SPEC and the seed of each referee; [] if games are only searched."""
        if self.is_table:
            repeats = self.repeats or REPEATS_OF_SEVERAL
            return seed_referees(self.specs, repeats, self.seed)
        return repeat_referee(self.specs[0], self.repeats or 1, self.seed)

    def check(self) -> None:
        """Raise a SettingsError if options exclude each other."""
        if bool(self.answers) != bool(self.batches):
            raise SettingsError(
                "--answers and --batches belong together; name the other."
            )

        if self.answers and self.referees:
            raise SettingsError(
                "--answers takes the place of --referee; leave one out."
            )
        if self.answers and self.repeats:
            raise SettingsError(
                "--answers holds one play of each game; leave out --repeats."
            )
        if self.is_table and self.measures:
            raise SettingsError(
                "A table of several referees has its own measures; leave out --measure."
            )

    def title(self, settings: Settings) -> str:
        """Return the games and the preset in words."""
        source = self.games or find_project().games
        part: str = self.split or "all splits"
        if self.limit:
            part += f", first {self.limit} games"
        return f"{source}, {part}, preset {settings.preset}"


def replay(
    *,
    options: ReplayOptions = ReplayOptions(),
    preset: Preset = None,
    writer: WriterOptions = WriterOptions(),
    overrides: ParsedOverrides,
) -> int:
    """Replay, print the run or the table, and with --out write it; return 1 with --strict if a game was lost."""
    options.check()
    settings = writer.override(overrides.load(preset))
    # an unknown measure or referee is refused before anything is played
    measures = find_measures(options.measures)
    referees = options.seed_referees()
    games = select_games(options.games, options.split, options.seed, options.lost_in)
    course = options.open()
    title = options.title(settings)
    batches: Batches = {}
    if options.batches and options.answers:
        batches = read_answered(options.batches, options.answers, games)
        games = [game for game in games if game.game_id in batches]
    with options.work.start() as workers:
        replayed = Replay(
            games[: options.limit],
            course,
            settings,
            referees=referees,
            seed=options.seed,
            workers=workers,
            batches=batches,
            out=options.out,
            measures=measures,
        )
        if options.is_table:
            document = replayed.table()
            lines = [f"{title}: {document['games']} games", format_table(document)]
            if options.out:
                write_finished(options.out, document)
        else:
            run = replayed.run()
            document = run.as_json()
            changes = map(str, filter(None, (overrides.config, *overrides.changes)))
            who = f"answers of {options.answers}" if options.answers else run.referee
            head = f"{' with '.join([title, *changes])}, referee {who}"
            lines = [*map(visible, (head, *format_run(run)))]
            if options.out:
                write_run(options.out, run)

    if options.as_json:
        print(visible_json(document))
    else:
        print(*lines, sep="\n")
    return report_lost(document["lost_at_ingest"], strict=options.strict)


@dataclass(frozen=True)
class CompareOptions(RunOptions):
    """Options of `compare` alone.

    Attributes:
        presets: The others are tested against the first; names, or YAML files, such as dual,filtered,my.yaml.
        belief: All beliefs run over the whole course, over the hits of each search, or over what each preset says,
            unless --config or --set changes game.candidates.
        referee: SPEC as for replay, to compare win rates.
        repeats: Plays of each game, each with another referee seed.
        out: Also write each run into this folder, and compare.json; resumes what was interrupted.
    """

    presets: Annotated[str, Parameter(completer=complete_presets)] = ""
    belief: Belief = "course"
    referee: Annotated[str, Parameter(completer=lambda context: SPECS)] = HINT_ALONE
    repeats: Repeats = 1
    out: Path | None = None

    def refuse_replays(self, overrides: Overrides) -> None:
        """Raise a SettingsError if an option is set that only replays of presets have."""
        replay_options = {
            "--presets": self.presets,
            "--games": self.games,
            "--split": self.split,
            "--limit": self.limit,
            "--store": self.at.store,
            "--collection": self.at.collection != DEFAULT_COLLECTION,
            "--workers": self.work.workers,
            "--cluster": self.work.cluster,
            "--config": overrides.config,
            "--set": overrides.changes,
            "--belief": self.belief != "course",
            "--referee": self.referee != HINT_ALONE,
            "--repeats": self.repeats != 1,
        }

        reason = "is for --presets; leave it out, or the RUN.json files"
        refuse_options(replay_options, reason)

    def make_folder(self) -> None:
        """Make the folder of --out."""
        if self.out:
            with writing(self.out):
                self.out.mkdir(parents=True, exist_ok=True)


def compare(
    *runs: Runs,
    options: CompareOptions = CompareOptions(),
    overrides: ParsedOverrides,
) -> int:
    """Replay presets or read runs, test them and print the table; return 1 with --strict if a game was lost."""
    if runs:
        options.refuse_replays(overrides)
        all_runs = read_runs(runs, find_measures(options.measures))
    elif options.presets:
        all_runs = _replay_presets(options, overrides)
    else:
        raise SettingsError("compare needs --games and --presets, or RUN.json files.")
    tests = comparison.compare(all_runs, seed=options.seed)

    document = {
        "presets": {run.name: run.as_json() for run in all_runs},
        "tests": [asdict(test) for test in tests],
    }
    if options.out:
        options.make_folder()
        for run in all_runs:
            write_run(options.out / f"{run.name}.json", run)
        write_text(options.out / COMPARISON, visible_json(document) + "\n")
    if options.as_json:
        print(visible_json(document))
    else:
        print(*map(visible, format_comparison(all_runs, tests)), sep="\n")
    n_lost = max(run.lost_at_ingest for run in all_runs)
    return report_lost(n_lost, strict=options.strict)


def _replay_presets(options: CompareOptions, overrides: Overrides) -> list[Run]:
    """Replay the games with each preset; --belief chooses its candidates, unless --config or --set changes them."""
    names = [*filter(None, map(str.strip, options.presets.split(",")))]
    presets = with_belief(load_presets(names), options.belief)
    settings = {name: overrides.merge_over(own) for name, own in presets.items()}
    comparison.require_two(settings)
    if options.out and Path(COMPARISON).stem in settings:
        raise RunError(
            f"{options.out / COMPARISON} is the file of the comparison; rename the settings file of that name."
        )

    referees = repeat_referee(options.referee, options.repeats, options.seed)
    measures = find_measures(options.measures)
    games = select_games(options.games, options.split, options.seed)
    course = options.open()
    options.make_folder()
    with options.work.start() as workers:
        return replay_each(
            settings,
            games[: options.limit],
            course,
            referees=referees,
            seed=options.seed,
            measures=measures,
            workers=workers,
            folder=options.out,
        )


def report(*runs: Runs, measures: Measures = (), out: Out | None = None) -> None:
    """Write the page and print its path, or print the headline.

    Args:
        out: The page, report.html (default: none; the headline is printed).
    """
    from evaluate.report.page import compute_tests, headline, render

    all_runs = read_runs(runs, find_measures(measures))
    if out:
        write_text(out, render(all_runs))
        print(out)
    else:
        print(*map(visible, headline(all_runs, *compute_tests(all_runs))), sep="\n")


def export(*runs: Runs, out: Path, measures: Measures = ()) -> None:
    """Write the files and print their names.

    Args:
        out: Folder to write to; it is made if need be.
    """
    from evaluate.runs.export import export as export_runs

    all_runs = read_runs(runs, find_measures(measures))
    with writing(out):
        paths = export_runs(all_runs, out)
    print(*map(visible, paths), sep="\n")
