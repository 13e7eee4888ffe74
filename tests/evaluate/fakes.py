"""Labelled games, a small course and its store, for the tests of the harness."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from configs.settings import Settings
from evaluate.games.labelled import LabelledGame
from evaluate.practice.server import Repertoire
from evaluate.referee.scoring import Similarity
from evaluate.referee.simulated import make_referee, repeats_of, tools_of
from evaluate.referee.spec import Referee
from evaluate.replay.replay import Replayer, replay_games
from evaluate.runs.run import Run, make_run
from ingest.embed import Embedder
from ingest.embed.vectors import ReadingVectors
from ingest.paragraph import Alias, Document, Paragraph, Reading
from ingest.paragraphs.sentence import sentences
from ingest.store import Course, DocumentUpdate, create_store
from player.player import Player
from player.protocol.messages import Json
from tests.fakes import HashingEmbedder, each, load_hashing_embedder
from tests.player.fakes import course


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
            paragraph_id=item.paragraph_id,
            associative_word="compiler",
        )
        for number, item in enumerate(paragraphs, 1)
    ]


def small_repertoire(referee: Referee | None = None) -> Repertoire:
    """The twelve games of `course()`, judged by the oracle; two different words are half alike."""
    oracle = make_referee("oracle")
    paragraphs = course()
    return Repertoire(
        list(zip(course_games(paragraphs), paragraphs, strict=True)),
        referee or oracle,
        half_alike,
    )


def half_alike(one: str, other: str) -> float:
    """0.5, whatever the words."""
    return 0.5


def write_games(path: Path, records: Iterable[object]) -> Path:
    """The games file `path`, one JSON document a line."""
    path.write_text(
        "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records),
        encoding="utf-8",
    )
    return path


def record_of(game: LabelledGame) -> Json:
    """A game as a line of a games file."""
    keys = (
        "game_id",
        "book_name",
        "hint",
        "association_domain",
        "associative_word",
        "paragraph_id",
    )
    return {key: getattr(game, key) for key in keys}


def make_store(
    folder: Path | str,
    paragraphs: Sequence[Paragraph],
    embedder: Embedder | None = None,
    spec: str = "minilm",
) -> Course:
    """A store of these paragraphs under their documents.

    Args:
        embedder: a `HashingEmbedder`, unless given; a sentence has the vector of its paragraph.
        spec: the embedder that the store remembers.
    """
    embedder = embedder or HashingEmbedder(spec)
    vectors = embedder.embed_passages(each(paragraphs, "text"))
    store = create_store(str(folder))
    filings = []
    for doc_id in sorted({*each(paragraphs, "doc_id")}):
        rows = []
        for row, item in enumerate(paragraphs):
            if item.doc_id == doc_id:
                rows.append(row)
        document = Document(
            doc_id,
            f"{doc_id}.pdf",
            f"hash of {doc_id}",
            "1",
            (Alias(doc_id, "stem"),),
            9,
            len(rows),
        )
        reading = Reading(document, tuple(paragraphs[row] for row in rows), ())
        by_sentence = [row for row in rows for _ in sentences(paragraphs[row].text)]
        names = embedder.embed_queries([doc_id])
        filings.append(
            DocumentUpdate(
                reading,
                ReadingVectors(vectors[rows], vectors[by_sentence], names),
                spec,
            )
        )
    store.change(filings)
    return store.course


def use_hashing_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every store's embedder, and those of the referee, be a `HashingEmbedder`."""
    monkeypatch.setattr("ingest.embed.models.load_embedder", load_hashing_embedder)
    monkeypatch.delenv(
        "QUARRY_MODELS", raising=False
    )  # where the real models' vectors of our hints are kept


def run_main(main: Any, *arguments: str) -> int:
    """The exit code of a command, whether it returns it or leaves with it."""
    try:
        code: object = main(list(arguments))
    except SystemExit as leaving:
        code = leaving.code
    assert isinstance(code, int)
    return code


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


Options = tuple[object, ...]
Evaluate = Callable[..., Output]
"""Runs a command of the harness in this process."""


def batch(n: int = 20, **changes: Any) -> list[Json]:
    """n valid questions about words, the first one changed."""
    questions: list[Json] = []
    for number in range(1, n + 1):
        questions.append(
            {
                "question_number": number,
                "question_text": "Which of these words occurs in the paragraph?",
                "options": {
                    "A": "merge",
                    "B": "bucket",
                    "C": "vertex",
                    "D": "None of these words",
                },
            }
        )
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


def replay(
    games: Sequence[LabelledGame],
    store: Course,
    player: Player,
    settings: Settings,
    *,
    referee: str,
    similarity: Similarity = half_alike,
    seed: int = 0,
    repeats: int = 1,
) -> Run:
    """A run over the games by this player, in this process."""
    tools = tools_of(store, settings.embed)
    judges = []
    for spec, judge_seed in repeats_of(referee, repeats, seed):
        judges.append(make_referee(spec, judge_seed, tools))
    replayer = Replayer(player, judges, similarity, seed)
    records = replay_games(
        games, store, functools.partial(map, replayer.record), progress=False
    )
    return make_run(
        records, store.fingerprint, settings, referee, seed, len(judges) or 1
    )
