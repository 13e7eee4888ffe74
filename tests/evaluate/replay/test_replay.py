"""Replays: every fate of a game worked by hand, the same run for the same inputs, and the command around it."""

import functools
import json
from collections.abc import Callable
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

from configs.settings import load
from evaluate.games.labelled import LabelledGame
from evaluate.referee.protocol import Referee
from evaluate.referee.simulated import make_referee
from evaluate.replay import replay as replay_module
from evaluate.replay.batches import AskedBatch
from evaluate.replay.replay import Replay
from evaluate.replay.replayer import Job, Replayer
from evaluate.runs.explanation import explain
from evaluate.runs.files import RecordFile, read_run
from evaluate.runs.measures import compute_figure
from evaluate.runs.record import ReplayRecord
from player.player import Player
from player.search.books.resolver import BookResolver
from player.search.engine import SearchOrchestrator
from player.search.index import SearchIndex
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import (
    ABOUT,
    Evaluate,
    course_records,
    labelled_game,
    make_store,
    run_of,
    write_games,
)
from tests.fakes import each
from tests.player.fakes import FixedEmbedder, course, course_with, dense_of, document
from tests.player.writer.server import SECRET, model_server, replying, use_key

HINT = "what grows where"

SIMILARITY = {
    "Ivy scales brickwork. Tendrils grip mortar.": [0.9],
    "Moss carpets boulders. Shade keeps damp cushions.": [0.8],
    "Ferns unroll fronds. Spores drift downhill.": [0.1],
    "Reeds fringe ponds. Herons nest among stems.": [0.95],
    "Thistles guard pastures. Goldfinches eat seeds.": [0.2],
}
"""Of each paragraph with HINT. With two slots for the book and one for the course, book alpha gives alpha:1:1 and
alpha:1:2, then beta:1:1; no book gives beta:1:1, alpha:1:1, alpha:1:2."""
IDS = ("alpha:1:1", "alpha:1:2", "alpha:1:3", "beta:1:1", "beta:1:2")
PARAGRAPHS = [*map(paragraph, IDS, SIMILARITY)]


def game_of(
    game_id: str,
    paragraph_id: str,
    **changes: Any,
) -> LabelledGame:
    word = {"association_domain": "gardening", "associative_word": "hedge"}
    return labelled_game(
        game_id=game_id,
        paragraph_id=paragraph_id,
        hint=HINT,
        **word | changes,
    )


GAMES = [
    game_of("in the book", "alpha:1:2", opening_sentence="moss carpets BOULDERS"),
    game_of("in a global slot", "beta:1:1", associative_word="hedges"),
    game_of("in another book", "beta:1:2", associative_word=""),
    game_of(
        "too far down",
        "alpha:1:3",
        opening_sentence="Ferns unroll their fronds.",
        book_name="",
    ),
    game_of(
        "too far down in the right book",
        "alpha:1:3",
        opening_sentence="Ferns, in a picture.",
        in_text_layer=False,
    ),
    game_of("never ingested", "alpha:9:9", opening_sentence="Lichen crusts slate."),
    game_of("no answer", "", answerable=False),
]
ANSWERABLE = each(GAMES[:-1], "game_id")

Run = dict[str, Any]
HandReplay = Callable[..., Run]


@pytest.fixture(scope="module")
def hand_replay() -> HandReplay:
    """Replay the games with two slots for the book and one for the course, as `replay --json` prints the run.

    The one number of a vector is the similarity with HINT, and no two words are alike.
    """
    changes = (
        "search.strategies=[dense]",
        "search.pdf_k=2",
        "search.global_k=1",
        "game.candidates=30",
        "game.questions_pool=40",
        "game.prior_filter_share=0.5",
    )
    settings = load("dual", changes=changes)
    dense = dense_of(PARAGRAPHS, FixedEmbedder({HINT: [1.0], **SIMILARITY}))
    course = course_with([document("alpha"), document("beta")], PARAGRAPHS)
    index = SearchIndex({"dense": dense}, BookResolver(course), PARAGRAPHS)
    player = Player(SearchOrchestrator(index, settings.search), settings.game)

    def replayed(
        referee: str,
        *referees: Referee,
        seed: int = 7,
    ) -> Run:
        replayer = Replayer(player, referees, lambda one, other: 0.0)
        play_all = functools.partial(map, replayer.replay)
        records = Replay(GAMES, course, settings).play_rest(play_all, [])
        run = run_of(records, referee=referee)
        return replace(run, seed=seed, repeats=len(referees) or 1).as_json()

    return replayed


@pytest.fixture(scope="module")
def searched(hand_replay: HandReplay) -> Run:
    """The run without a referee."""
    return hand_replay("none")


def column(run: Run, key: str) -> list[Any]:
    return each(run["per_game"], key)


def rows(run: Run, *keys: str) -> list[tuple[Any, ...]]:
    return [*map(itemgetter(*keys), run["per_game"])]


def test_each_answerable_game_says_where_it_was_found_or_lost_and_is_counted(
    searched: Run,
) -> None:
    assert column(searched, "game_id") == ANSWERABLE
    assert rows(searched, "rank", "slot", "strategy", "lost_at") == [
        (2, "book", "dense", None),
        (3, "global", "dense", None),
        (None, None, None, "book"),
        (None, None, None, "search"),
        (None, None, None, "search"),
        (None, None, None, "ingest"),
    ]
    assert (searched["games"], searched["unanswerable"]) == (7, 1)
    assert searched["abstained"] == 0

    assert column(searched, "guess_rank") == column(searched, "won") == [None] * 6
    for key in ("win_rate", "sentence_exact", "private_score"):
        assert searched[key] is None
    assert searched["latency_ms"]["questions"] is None

    # ranks 2 and 3 of 6 games: 2/6, and (1/2 + 1/3) / 6
    wider = [f"Success@{k}" for k in (5, 10, 15, 20)]
    shares = {"Success@1": 0.0, **dict.fromkeys(wider, 0.333333), "RR": 0.138889}
    assert searched["measures"] == shares
    values = np.array([1 / 2, 1 / 3, 0, 0, 0, 0])
    assert searched["intervals"]["RR"] == compute_figure(values, 7)[1]

    # right, wrong and never ingested; the one in a picture does not count
    assert searched["opening_sentence_exact"] == 0.333333
    # of six answerable ones, one lost at ingest: right for "in the book" and "too far down in the right book"
    assert (searched["book_resolved"], searched["lost_at_ingest"]) == (0.333333, 1)


def test_a_play_is_lost_by_the_answers_if_its_sentence_is_not_the_likeliest(
    hand_replay: HandReplay,
) -> None:
    # the referee finds nothing relevant, so that the guess is the most similar candidate
    played = hand_replay("noisy:0,1", make_referee("noisy:0,1", 7))
    # no answer tells the places apart, so that they stay in the order of the prior: every sentence is one
    assert rows(played, "guess_rank", "won", "lost_at") == [
        (3, False, "answers"),
        (1, True, None),
        (9, False, "answers"),
        (10, False, "label"),
        (11, False, "answers"),
        (None, False, "ingest"),
    ]

    assert played["win_rate"] == played["sentence_exact"] == 0.166667
    # nothing to cite: J 25, K 100 - 2 * 25 = 50, so 10 points; the right sentence 50 more; never ingested 0
    assert played["private_score"] == round((60 + 4 * 10 + 0) / 6, 4)
    # gardening brings a hedge to mind in all games but the lost one; the second label is in the plural, the third empty
    assert played["associative_word_top20"] == 0.8


def test_repeats_of_a_game_are_no_games_of_their_own(
    hand_replay: HandReplay, searched: Run
) -> None:
    # the first referee answers rightly, the second declines
    referees = make_referee("oracle"), make_referee("noisy:0,1")
    run = hand_replay("noisy:0.1,0.1", *referees, seed=40)
    assert (run["games"], run["repeats"], run["seed"]) == (7, 2, 40)
    assert column(run, "repeat") == [0] * 6 + [1] * 6
    assert column(run, "game_id") == ANSWERABLE * 2
    first, second = [True] * 3 + [False] * 3, [False, True] + [False] * 4
    assert column(run, "won") == first + second

    # by game: 1/2, 1, 1/2, 0, 0, 0
    assert run["win_rate"] == 0.333333
    won = np.array([0.5, 1, 0.5, 0, 0, 0])
    figure = (run["win_rate"], run["win_rate_interval"])
    assert figure == compute_figure(won, 40, is_share=True)
    for key in ("measures", "book_resolved", "lost_at_ingest"):
        assert run[key] == searched[key]


@pytest.fixture
def command(evaluate: Evaluate) -> Evaluate:
    """Replay four games about the course and an unanswerable one, which weighs few questions."""
    records = course_records()[:5]
    records[4] |= {
        "game_id": "no",
        "paragraph_id": None,
        "hint": "harbour cranes",
    }
    write_games(Path("games.jsonl"), records)
    quick = f"replay {ABOUT} --set game.questions_pool=60"
    return lambda options: evaluate(f"{quick} {options}")


def timeless(run: Run) -> str:
    return json.dumps({**run, "latency_ms": 0})


def reply_to(prompt: str) -> str:
    return '{"words": ["zither"]}' if '"words"' in prompt else '{"ids": [1]}'


def test_json_has_the_keys_of_the_contract(command: Evaluate) -> None:
    run = command("--referee oracle --seed 4 --json").json
    # other tests read the other keys
    assert run.keys() > {"associative_word_exact", "store_fingerprint", "commit"}
    assert sorted(run["latency_ms"]) == ["decide", "embed", "questions", "search"]
    assert run["latency_ms"]["search"].keys() == {"p50", "p95"}
    assert (run["seed"], run["repeats"]) == (4, 1)
    assert run["settings"]["preset"] == "default"
    assert "token" not in run["settings"]


def test_a_label_is_found_by_a_duplicate_of_its_paragraph(evaluate: Evaluate) -> None:
    original = course()[0]
    duplicates = [paragraph(f"{name}:1:1", original.text) for name in ("zeta", "zone")]
    make_store("twice", [*course(), *duplicates])
    records = course_records()[:1]
    for duplicate in duplicates:
        about = {"game_id": duplicate.doc_id, "paragraph_id": duplicate.paragraph_id}
        records.append({**records[0], **about})
    write_games(Path("three.jsonl"), records)

    replayed = evaluate(
        "replay --store twice --games three.jsonl --referee oracle --json --out run.json"
    ).json
    assert rows(replayed, "rank", "lost_at") == [(1, None)] * 3
    assert evaluate("export run.json --out .").code == 0
    for record in read_run(Path("run.json")).records:
        lines = [*explain(record, record["plays"][0])]
        assert any(line.startswith("its probability: ") for line in lines)
    hits = pd.read_csv("hits.csv")
    assert hits["overall_rank"][hits["right"]].tolist() == [1] * 3


def test_a_limit_takes_the_first_games_of_the_split(command: Evaluate) -> None:
    whole = command("--split train --json").json["per_game"]
    assert len(whole) > 1
    for limit in (1, 99):
        some = command(f"--split train --limit {limit} --json").json
        assert each(some["per_game"], "game_id") == each(whole, "game_id")[:limit]
    table = command("--limit 1 --referee oracle --referee blind --json").json
    assert table["games"] == 1
    assert "all splits, first 2 games, preset" in command("--limit 2").out


def test_an_interrupted_replay_goes_on_where_it_was_and_prints_its_figures(
    command: Evaluate,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    played: list[str] = []
    replay = Replayer.replay

    def interrupted(self: Replayer, job: Job) -> ReplayRecord:
        played.append(job.game.game_id)
        if len(played) == 3:
            raise KeyboardInterrupt
        return replay(self, job)

    monkeypatch.setattr(Replayer, "replay", interrupted)
    assert command("--referee oracle --out run.json").code == 130
    out = Path("run.json")
    assert not out.exists()
    resumed = command("--referee oracle --out run.json")
    assert "resuming run.json: 2 games are finished" in resumed.err
    assert played == ["g1", "g2", "g3", "g3", "g4", "no"]
    run = json.loads(out.read_bytes())
    assert column(run, "game_id") == ["g1", "g2", "g3", "g4"]

    assert "5 games, 1 of them unanswerable, 0 lost at ingest" in resumed.out
    low, high = run["intervals"]["RR"]
    rr = f"  RR          {run['measures']['RR']:.3f} [{low:.3f}, {high:.3f}]\n"
    assert rr in resumed.out


def test_a_game_lost_at_ingest_is_explained_counted_and_refused_with_strict(
    evaluate: Evaluate,
) -> None:
    records = course_records()[:2]
    records[1] |= {
        "game_id": "lost",
        "paragraph_id": "gamma:1:1",
        "hint": "nets",
    }
    write_games(Path("games.jsonl"), records)

    printed = evaluate(f"replay {ABOUT} --measure nDCG@10").out
    assert (
        "  lost: 1 of 2 (1 at ingest, 0 at the book, 0 in the search, 0 by the label, 0 by the answers)\n"
        "    lost: lost at ingest: the store holds no such paragraph\n"
    ) in printed
    assert "    g1: " not in printed
    assert "  nDCG@10     0.500 [" in printed

    strict = evaluate(f"replay {ABOUT} --json --strict")
    run = json.loads(strict.out)
    assert (strict.code, run["lost_at_ingest"]) == (1, 1)
    assert column(run, "lost_at") == [None, "ingest"]
    assert run["measures"]["Success@20"] == 0.5
    refusal = "1 game is about a paragraph that the store does not hold"
    assert strict.err.endswith(f"quarry replay: {refusal}\n")


def test_a_table_of_referees_is_printed_and_written(command: Evaluate) -> None:
    referees = "--workers 1 --referee oracle --referee blind"
    lines = command(f"{referees} --out table.json").out.splitlines()
    assert lines[0].endswith("preset default: 4 games")
    heads = [line.split(" | ")[0] for line in lines[3:]]
    assert heads == ["| the hint alone", "| `oracle`", "| `blind`"]
    assert lines[4].split(" | ")[1:3] == ["1", "1.000 [0.51, 1.00]"]

    table = json.loads(Path("table.json").read_bytes())
    assert each(table["referees"], "referee") == ["oracle", "blind"]
    files = {path.name for path in Path().glob("table*")}
    assert files == {"table.json", "table.games.jsonl"}
    assert command(f"{referees} --json --strict").json == table

    records = [*RecordFile(Path("table.games.jsonl"))]
    assert each(records, "game_id") == ["g1", "g2", "g3", "g4"]
    hint_alone, oracle, _ = records[0]["plays"]
    assert oracle["won"]
    assert hint_alone["answers"] == [None] * 20
    assert len(hint_alone["candidates"]) > 1
    assert len(oracle["candidates"]) == 1, "the labelled one is always kept"


def test_a_recorded_replay_is_repeated_byte_for_byte_without_the_server(
    command: Evaluate,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_key(monkeypatch)
    options = "--referee oracle --json --writer-log log.jsonl --writer m --writer-url"
    with model_server(replying(reply_to)) as server:
        first = command(f"{options} {server.url}")
    assert f"quarry replay: the writer m at {server.url}/ is sent" in first.err
    assert first.err.count("the writer") == 1
    log = Path("log.jsonl")
    recorded = log.read_text()
    assert "zither" in recorded
    again = command(f"{options} {server.url}")
    assert timeless(again.json) == timeless(first.json)
    assert log.read_text() == recorded
    assert SECRET not in first.out + first.err + again.err + recorded


def test_the_digest_changes_with_everything_a_run_depends_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store: Any = Mock(fingerprint="store")
    same = Replay([labelled_game()], store, load())
    others: Run = {
        "games": [labelled_game(hint="another")],
        "course": Mock(fingerprint="other store"),
        "settings": load("dual"),
        "referees": [("oracle", 0)],
        "seed": 1,
        "batches": {"g1": AskedBatch("g1", "", ())},
    }

    digests = {same.inputs_digest()}
    for name, other in others.items():
        digests.add(replace(same, **{name: other}).inputs_digest())
    assert len(digests) == 7
    assert same.inputs_digest() in digests
    monkeypatch.setattr(replay_module, "code_digest", lambda: "other code")
    assert same.inputs_digest() not in digests
