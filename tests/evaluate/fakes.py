"""Labelled games, a small course and its store, for the tests of the harness."""

import contextlib
import json
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from configs.settings import Settings, load
from evaluate.games.labelled import LabelledGame
from evaluate.games.locating import locate_games
from evaluate.practice.server import PracticeServer, Repertoire
from evaluate.referee.simulated import make_referee
from evaluate.runs.record import ReplayRecord
from evaluate.runs.run import Run
from evaluate.tuning.prepared import Prepared, prepare
from player.answer import LETTERS, Answer
from player.player import Plan
from player.round import Json
from quarry.command import app, main
from quarry.course.paragraph import Paragraph, Reading
from quarry.embed import Embedder
from quarry.embed.vectors import ReadingVectors
from quarry.parallel import InProcess, TaskExecutor
from quarry.store import Course, Store, StoredDocument
from tests.fakes import HashingEmbedder, each
from tests.player.fakes import course, document


def labelled_game(**changes: Any) -> LabelledGame:
    """A game about paragraph alpha:1:1, changed."""
    return replace(
        LabelledGame(
            "g1", "alpha", "what climbs towards light", "botany", "garden", "alpha:1:1"
        ),
        **changes,
    )


def course_games(paragraphs: Sequence[Paragraph]) -> list[LabelledGame]:
    """A game for each paragraph: its hint is the paragraph's own second sentence, so that it is found."""
    return [
        labelled_game(
            game_id=f"g{number}",
            book_name=item.doc_id,
            hint=item.text.split(". ")[1],
            associative_word="compiler",
            paragraph_id=item.paragraph_id,
        )
        for number, item in enumerate(paragraphs, 1)
    ]


def small_repertoire() -> Repertoire:
    """The twelve games of `course()`, judged by the oracle; two different words are half alike."""
    games = zip(course_games(course()), course(), strict=True)
    return Repertoire([*games], make_referee("oracle"), half_alike)


def practice_server(seed: int | None = 0) -> PracticeServer:
    """A practice server with these games."""
    return PracticeServer(small_repertoire(), seed=seed)


def half_alike(one: str, other: str) -> float:
    """0.5, whatever the words."""
    return 0.5


def write_games(path: Path, records: Iterable[object]) -> Path:
    """The games file `path`, one JSON document a line."""
    with path.open("w", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    return path


def record_of(game: LabelledGame) -> Json:
    """The texts of a game as a line of a games file, which leaves out empty ones."""
    record = {}
    for name, value in asdict(game).items():
        if value and isinstance(value, str):
            record[name] = value
    return record


def course_records() -> list[Json]:
    """A line of a games file for each paragraph of `course()`."""
    return [*map(record_of, course_games(course()))]


def make_course(folder: Path) -> None:
    """Make the `store` of `course()` and its `games.jsonl` in a folder."""
    make_store(folder / "store", course())
    write_games(folder / "games.jsonl", course_records())


def run_of(
    records: Collection[ReplayRecord],
    name: str = "mine",
    referee: str = "none",
) -> Run:
    """A run with these records."""
    return Run(
        records=records,
        referee=referee,
        settings=asdict(load()),
        store_fingerprint="f",
        commit="",
        seed=0,
        repeats=1,
        name=name,
    )


def make_store(
    folder: Path | str,
    paragraphs: Sequence[Paragraph],
    embedder: Embedder | None = None,
    spec: str = "minilm",
    collection: str = "course",
) -> Course:
    """A store of these paragraphs under their documents.

    Args:
        embedder: a `HashingEmbedder`, unless given; the store holds no tokens.
        spec: the embedder that the store remembers.
        collection: the name within the store.
    """
    embedder = embedder or HashingEmbedder(spec)
    filings = []
    for doc_id in sorted({*each(paragraphs, "doc_id")}):
        own = tuple(item for item in paragraphs if item.doc_id == doc_id)
        vectors = embedder.embed_passages(each(own, "text"))

        reading_vectors = ReadingVectors(vectors, embedder.embed_queries([doc_id]))
        filed = replace(document(doc_id), n_pages=9, n_paragraphs=len(own))
        filings.append(StoredDocument(Reading(filed, own, ()), reading_vectors))
    store = Store(str(folder), collection)
    store.change(filings, embedder_spec=spec)
    return store.course


def prepared(
    games: Sequence[LabelledGame],
    course: Course,
    settings: Settings,
    executor: TaskExecutor = InProcess(),
) -> Prepared:
    """The games, prepared for searches with the strategies and modes of the settings."""
    located = locate_games(games, course.paragraphs)
    return prepare(games, located, course, settings, executor)


def answers_about(row: Any, plan: Plan) -> list[Answer]:
    """The answers of a respondent who knows this candidate."""
    return [LETTERS[letter] for letter in plan.fits[0, :, row].argmax(axis=1)]


class Output(NamedTuple):
    """The exit code of a command, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document of --json."""
        assert self.code == 0, self.err
        return json.loads(self.out)

    @property
    def refusal(self) -> str:
        """The one line that refuses bad input."""
        assert (self.code, self.out, self.err.count("\n")) == (2, "", 1), self
        return self.err


def run_line(line: str, command: Callable[[list[str]], int] = main) -> Output:
    """Run a command line in this process, of `quarry` unless another command is given."""
    return run_words(shlex.split(line), command)


def run_words(
    words: Sequence[str], command: Callable[[list[str]], int] = main
) -> Output:
    """Run a command with these words in this process."""
    out, err = StringIO(), StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = command([*words])
    return Output(code, out.getvalue(), err.getvalue())


def commands() -> dict[str, set[str]]:
    """The options of every command of `quarry` but --config, --set and --help, by its name."""
    found = {}
    groups = {"": app, "games ": app["games"]}
    for group, members in groups.items():
        for name in members:
            if f"{name} " not in groups and not name.startswith("-"):
                arguments = members[name].assemble_argument_collection()
                found[f"{group}{name}"] = {
                    *chain.from_iterable(each(arguments, "names"))
                }
    return found


Evaluate = Callable[[str], Output]
"""Runs a command line of the harness, see the fixture."""

ABOUT = "--store store --games games.jsonl"


def batch(**changes: Any) -> list[Json]:
    """20 valid questions about words, the first one changed."""
    options = {
        "A": "merge",
        "B": "bucket",
        "C": "vertex",
        "D": "None of these words",
    }
    question = {
        "question_text": "Which of these words occurs in the paragraph?",
        "options": options,
    }

    questions = [{"question_number": number, **question} for number in range(1, 21)]
    questions[0] |= changes
    return questions


def message(
    message_type: str,
    payload: Mapping[str, Any],
    game_id: str = "0101001",
    message_id: str = "",
) -> Json:
    """A player's envelope; its message_id is its type if none is given."""
    return {
        "message_type": message_type,
        "message_id": message_id or message_type,
        "game_id": game_id,
        "payload": dict(payload),
    }
