"""Judged collections in BEIR's layout are read as games, and games with their store are written so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quarry.configs.settings import IngestSettings
from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.beir import write_beir
from quarry.evaluate.games.labelled import load_games
from quarry.evaluate.games.locating import locate_games
from quarry.evaluate.games.splits import select_split
from quarry.ingest.errors import SourceError
from quarry.ingest.pipeline.read_document import read_paragraphs_file
from quarry.ingest.pipeline.sources import expand
from tests.evaluate.fakes import labelled_game
from tests.player.fakes import course

QUERIES = [{"_id": "q1", "text": "what climbs"}, {"_id": "q2", "text": "what sinks"}, {"_id": "q3", "text": "unjudged"}]
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t2\nq1\td3\t0\n"
CORPUS = [
    {"_id": "d1", "title": "Ivy", "text": "It climbs towards light."},
    {"_id": "d2", "title": "", "text": "Vines climb as well.", "metadata": {"book_name": "Vines"}},
    {"_id": "d3", "title": "Stones?", "text": "They sink."},
    {"_id": "d4", "title": "", "text": ""},
]


def collection(folder: Path) -> Path:
    (folder / "qrels").mkdir(parents=True)
    for name, documents in (("queries", QUERIES), ("corpus", CORPUS)):
        lines = "".join(json.dumps(document) + "\n" for document in documents)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text(QRELS, encoding="utf-8")
    (folder / "qrels" / "dev.tsv").write_text("q2\td3\t1\n", encoding="utf-8")
    return folder


def test_queries_that_were_judged_become_games_with_grades_and_splits(tmp_path: Path) -> None:
    games = load_games(collection(tmp_path / "judged"))
    assert [(game.game_id, game.hint, game.split) for game in games] == [
        ("q1", "what climbs", "test"),
        ("q2", "what sinks", "validation"),
    ]
    assert games[0].relevant == {"d1": 1, "d2": 2, "d3": 0}
    assert games[0].best_first == ["d2", "d1"]
    assert all(game.is_query for game in games)
    assert [game.game_id for game in select_split(games, "test", 0)] == ["q1"]


def test_a_query_to_which_nothing_is_relevant_is_unanswerable(tmp_path: Path) -> None:
    folder = collection(tmp_path / "judged")
    (folder / "qrels" / "dev.tsv").write_text("q2\td3\t0\n", encoding="utf-8")
    assert [game.answerable for game in load_games(folder)] == [True, False]


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("qrels/test.tsv", "q1\td1\n", r"test.tsv line 1: must be query-id, corpus-id, score with tabs between"),
        ("qrels/test.tsv", "q1\td1\tgood\n", "got 'q1.t?d1"),
        ("queries.jsonl", '{"text": "x"}\n', r"queries.jsonl line 1: _id must be a string that is not empty, got None"),
        ("queries.jsonl", '{"_id": "q1", "text": ""}\n', "hint must be a string that is not empty"),
    ],
)
def test_a_file_that_is_not_as_beir_has_it_is_refused_with_its_line(
    tmp_path: Path, file: str, text: str, says: str
) -> None:
    folder = collection(tmp_path / "judged")
    (folder / file).write_text(text, encoding="utf-8")
    with pytest.raises(GamesError, match=says.replace(".t?", ".*")):
        load_games(folder)


def test_a_folder_without_judgements_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GamesError, match="--games must be a file or a folder with qrels"):
        load_games(tmp_path)


def test_a_corpus_is_read_as_one_book_with_titles_before_texts(tmp_path: Path) -> None:
    folder = collection(tmp_path / "judged")
    assert expand([folder]) == [folder / "corpus.jsonl"]
    readings = read_paragraphs_file(folder / "corpus.jsonl", "hash", IngestSettings())
    assert [
        (reading.document.doc_id, [(one.paragraph_id, one.text) for one in reading.paragraphs]) for reading in readings
    ] == [
        ("judged", [("d1", "Ivy. It climbs towards light."), ("d3", "Stones? They sink.")]),
        ("Vines", [("d2", "Vines climb as well.")]),
    ]


def test_a_corpus_with_a_document_that_is_none_is_refused(tmp_path: Path) -> None:
    folder = collection(tmp_path / "judged")
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "title": "x", "text": 3}\n', encoding="utf-8")
    with pytest.raises(SourceError, match=r"corpus\.jsonl line 1: text must be a string that is not empty, got 3"):
        read_paragraphs_file(folder / "corpus.jsonl", "hash", IngestSettings())


def test_what_is_written_is_read_again_as_the_same_games(tmp_path: Path) -> None:
    paragraphs = course()
    first, second, third = (one.paragraph_id for one in paragraphs[:3])
    games = [
        labelled_game(
            game_id="query", paragraph_id="", relevant={first: 1, second: 3}, book_name="", split="validation"
        ),
        labelled_game(game_id="game", hint="one", paragraph_id=third, relevant={first: 2}),
        labelled_game(game_id="lost", hint="two", paragraph_id="nowhere:1:1"),
        labelled_game(game_id="no", hint="three", paragraph_id="", answerable=False),
    ]
    written = write_beir(games, locate_games(games, paragraphs), paragraphs, tmp_path)
    assert [path.name for path in written] == ["corpus.jsonl", "queries.jsonl", "dev.tsv", "test.tsv"]
    again = load_games(tmp_path)
    assert [(game.game_id, game.relevant, game.book_name, game.split) for game in again] == [
        ("query", {first: 1, second: 3}, "", "validation"),
        ("game", {first: 2, third: 2}, "alpha", "test"),
    ]
    texts = [
        one.text
        for reading in read_paragraphs_file(tmp_path / "corpus.jsonl", "h", IngestSettings())
        for one in reading.paragraphs
    ]
    assert sorted(texts) == sorted(one.text for one in paragraphs)


def test_a_game_known_by_its_paragraph_id_can_be_played_again(tmp_path: Path) -> None:
    paragraphs = course()
    game = labelled_game(
        paragraph_id=paragraphs[0].paragraph_id, opening_sentence="", paragraph="", in_text_layer=False
    )
    write_beir([game], locate_games([game], paragraphs), paragraphs, tmp_path)
    (again,) = load_games(tmp_path)
    assert (again.paragraph_id, again.in_text_layer, again.is_query) == (game.paragraph_id, False, False)


def test_an_id_that_breaks_a_line_of_qrels_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    paragraphs = course()
    game = labelled_game(game_id="a\tb", paragraph_id=paragraphs[0].paragraph_id)
    with pytest.raises(GamesError, match="ids must hold no tab"):
        write_beir([game], locate_games([game], paragraphs), paragraphs, tmp_path)
    assert not list(tmp_path.iterdir())
