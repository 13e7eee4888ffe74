"""Replays: every fate of a game worked by hand, the same run for the same inputs, and the command around it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quarry.configs.settings import Settings, load
from quarry.evaluate.__main__ import main
from quarry.evaluate.referee.simulated import Tools, make_referee
from quarry.evaluate.referee.spec import Posed, Referee, Secret
from quarry.evaluate.replay.replayer import Job, Replayer
from quarry.evaluate.runs.measures import interval
from quarry.evaluate.runs.record import GameRecord
from quarry.ingest.store import Course
from quarry.player.player import Player
from quarry.player.questions.answer import Answer
from quarry.player.search.index import SearchIndex
from quarry.player.search.orchestrator import SearchOrchestrator
from quarry.player.search.references import References
from quarry.player.search.strategies.dense import Dense
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import course_games, labelled_game, make_store, record_of, replay, run_main, write_games
from tests.player.fakes import FixedEmbedder, course

ROOT = Path(__file__).resolve().parents[3]
HINT = "what grows where"

PARAGRAPHS = [
    paragraph("alpha:1:1", "Ivy scales brickwork. Tendrils grip mortar."),
    paragraph("alpha:1:2", "Moss carpets boulders. Shade keeps damp cushions."),
    paragraph("alpha:1:3", "Ferns unroll fronds. Spores drift downhill."),
    paragraph("beta:1:1", "Reeds fringe ponds. Herons nest among stems."),
    paragraph("beta:1:2", "Thistles guard pastures. Goldfinches eat seeds."),
]
SIMILARITY = {"alpha:1:1": 0.9, "alpha:1:2": 0.8, "alpha:1:3": 0.1, "beta:1:1": 0.95, "beta:1:2": 0.2}
"""Of each paragraph with HINT. With two slots for the book and one for the course, book alpha gives alpha:1:1 and
alpha:1:2, then beta:1:1; no book gives beta:1:1, alpha:1:1, alpha:1:2."""

GAMES = [
    labelled_game(
        game_id="in the book",
        book_name="alpha",
        hint=HINT,
        paragraph_id="alpha:1:2",
        opening_sentence="moss carpets BOULDERS",
    ),
    labelled_game(
        game_id="in a global slot", book_name="alpha", hint=HINT, paragraph_id="beta:1:1", associative_word="gardens"
    ),
    labelled_game(game_id="in another book", book_name="alpha", hint=HINT, paragraph_id="beta:1:2"),
    labelled_game(
        game_id="too far down",
        book_name="",
        hint=HINT,
        paragraph_id="alpha:1:3",
        opening_sentence="Ferns unroll their fronds.",
    ),
    labelled_game(
        game_id="too far down in the right book",
        book_name="alpha",
        hint=HINT,
        paragraph_id="alpha:1:3",
        opening_sentence="Ferns, in a picture.",
        in_text_layer=False,
    ),
    labelled_game(
        game_id="never ingested",
        book_name="alpha",
        hint=HINT,
        paragraph_id="alpha:9:9",
        opening_sentence="Lichen crusts slate.",
    ),
    labelled_game(game_id="no answer", book_name="alpha", hint=HINT, paragraph_id="", answerable=False),
]
LOST_AT = [None, None, "book", "search", "search", "ingest"]

Run = dict[str, Any]


def replayed(*given: Any, **more: Any) -> Run:
    """The run as `replay --json` prints it."""
    return replay(*given, **more).as_json()


def no_likeness(one: str, other: str) -> float:
    """0.0, whatever the words."""
    return 0.0


@pytest.fixture(scope="module")
def hand_settings() -> Settings:
    """Two slots for the book and one for the course, in searches and in games."""
    settings = load("dual")
    search = replace(settings.search, strategies=("dense",), pdf_k=2, global_k=1)
    game = replace(settings.game, candidates=30, questions_pool=40, prior_filter_share=0.5)
    return replace(settings, search=search, game=game)


@pytest.fixture(scope="module")
def hand_store(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The five paragraphs; the one number of a vector is the similarity with HINT."""
    names = {item.doc_id: [0.0] for item in PARAGRAPHS}
    embedder = FixedEmbedder({item.text: [SIMILARITY[item.paragraph_id]] for item in PARAGRAPHS} | names)
    return make_store(tmp_path_factory.mktemp("replay"), PARAGRAPHS, embedder, "fixed")


@pytest.fixture(scope="module")
def hand_player(hand_store: Course, hand_settings: Settings) -> Player:
    dense = Dense(hand_store.paragraphs, hand_store.vectors, FixedEmbedder({HINT: [1.0]}))
    references = References(hand_store.documents, 0.9, 0.6)
    search = SearchOrchestrator(SearchIndex({"dense": dense}, references, hand_store.paragraphs), hand_settings.search)
    return Player(search, hand_settings.game)


@pytest.fixture(scope="module")
def searched(hand_store: Course, hand_player: Player, hand_settings: Settings) -> Run:
    """The run without a referee."""
    return replayed(GAMES, hand_store, hand_player, hand_settings, referee="none", similarity=None, seed=7)


@pytest.fixture(scope="module")
def played(hand_store: Course, hand_player: Player, hand_settings: Settings) -> Run:
    """The run with a referee that finds nothing relevant, so that the guess is the most similar candidate."""
    return replayed(GAMES, hand_store, hand_player, hand_settings, referee="noisy:0,1", similarity=no_likeness, seed=7)


def column(run: Run, key: str) -> list[Any]:
    return [game[key] for game in run["per_game"]]


class TestSearchAlone:
    def test_each_answerable_game_says_where_it_was_found_or_lost(self, searched: Run) -> None:
        assert column(searched, "game_id") == [game.game_id for game in GAMES if game.answerable]
        assert column(searched, "rank") == [2, 3, None, None, None, None]
        assert column(searched, "slot") == ["book", "global", None, None, None, None]
        assert column(searched, "strategy") == ["dense", "dense", None, None, None, None]
        assert column(searched, "lost_at") == LOST_AT

    def test_measures_and_intervals_count_every_answerable_game(self, searched: Run) -> None:
        # ranks 2 and 3 of 6 games: 2/6, and (1/2 + 1/3) / 6
        assert searched["measures"] == {
            "Success@1": 0.0,
            "Success@5": 0.333333,
            "Success@10": 0.333333,
            "Success@15": 0.333333,
            "Success@20": 0.333333,
            "RR": 0.138889,
        }
        # Wilson for 2 of 6: (1/3 + z^2/12) / (1 + z^2/6) -+ z sqrt(2/54 + z^2/144) / (1 + z^2/6) = 0.3984 -+ 0.3016
        assert searched["intervals"]["Success@5"] == pytest.approx([0.0968, 0.7000], abs=5e-4)
        values = np.array([1 / 2, 1 / 3, 0, 0, 0, 0])
        assert searched["intervals"]["RR"] == [round(end, 6) for end in interval(values, 7)]
        assert list(searched["intervals"]) == list(searched["measures"])

    def test_games_opening_sentences_and_books_are_counted(self, searched: Run) -> None:
        counts = [searched[key] for key in ("games", "unanswerable", "lost_at_ingest", "abstained")]
        assert counts == [7, 1, 1, 0]
        # right, wrong and never ingested; the one in a picture does not count
        assert searched["opening_sentence_exact"] == 0.333333
        # of six answerable ones, one lost at ingest: right for "in the book" and "too far down in the right book"
        assert searched["book_resolved"] == 0.333333

    def test_a_run_without_a_referee_has_no_figures_of_plays(self, searched: Run) -> None:
        assert column(searched, "guess_rank") == column(searched, "won") == [None] * 6
        for key in ("win_rate", "sentence_exact", "private_score", "associative_word_exact", "associative_word_top20"):
            assert searched[key] is None
        assert searched["latency_ms"]["questions"] is None
        assert searched["latency_ms"]["decide"] is None


class TestPlayedGames:
    def test_the_guess_rank_is_the_place_in_the_belief(self, played: Run) -> None:
        # no answer tells the places apart, so that they stay in the order of the prior: every sentence is one
        assert column(played, "guess_rank") == [5, 1, 9, 10, 10, None]
        assert column(played, "won") == [False, True, False, False, False, False]
        assert column(played, "lost_at") == ["answers", None, "answers", "answers", "answers", "ingest"]

    def test_shares_and_scores_count_every_answerable_game(self, played: Run) -> None:
        assert played["win_rate"] == 0.166667
        # Wilson for 1 of 6
        assert played["win_rate_interval"] == pytest.approx([0.0301, 0.5635], abs=5e-4)
        assert played["sentence_exact"] == 0.166667
        # nothing to cite: J 25, K 100 - 2 * 25 = 50, so 10 points; the right sentence 50 more; never ingested 0
        assert played["private_score"] == round((60 + 4 * 10 + 0) / 6, 4)
        # botany brings a garden to mind in all games but the lost one; the first game's label is in the plural
        assert played["associative_word_top20"] == 0.833333


class Declining:
    """A referee that finds nothing relevant."""

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[Answer]:
        return ["Not Relevant"] * len(questions)


@pytest.fixture(scope="module")
def repeated(hand_store: Course, hand_player: Player, hand_settings: Settings) -> tuple[Run, list[int]]:
    """A run of two repeats, and the seeds of its referees: the first one answers rightly, the second declines."""
    seeds: list[int] = []

    def make(spec: str, seed: int, tools: Tools) -> Referee:
        seeds.append(seed)
        return make_referee("oracle") if len(seeds) == 1 else Declining()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.evaluate.fakes.make_referee", make)
        run = replayed(
            GAMES,
            hand_store,
            hand_player,
            hand_settings,
            referee="noisy:0.1,0.1",
            similarity=no_likeness,
            seed=40,
            repeats=2,
        )
    return run, seeds


class TestRepeats:
    def test_every_game_is_played_in_each_repeat(self, repeated: tuple[Run, list[int]]) -> None:
        run, _ = repeated
        assert (run["games"], run["repeats"], run["seed"]) == (7, 2, 40)
        assert column(run, "repeat") == [0] * 6 + [1] * 6
        assert column(run, "game_id") == [game.game_id for game in GAMES if game.answerable] * 2

    def test_each_repeat_has_a_referee_seed_of_its_own(self, repeated: tuple[Run, list[int]]) -> None:
        run, seeds = repeated
        assert seeds == [40, 41]
        assert column(run, "won") == [True, True, True, *[False] * 3, False, True, *[False] * 4]

    def test_the_win_rate_is_the_mean_over_games_of_the_mean_over_repeats(
        self, repeated: tuple[Run, list[int]]
    ) -> None:
        run, _ = repeated
        # by game: 1/2, 1, 1/2, 0, 0, 0
        assert run["win_rate"] == 0.333333
        won = np.array([0.5, 1, 0.5, 0, 0, 0])
        assert run["win_rate_interval"] == [round(end, 6) for end in interval(won, 40)]

    def test_measures_of_the_search_do_not_count_repeats_as_games(
        self, repeated: tuple[Run, list[int]], searched: Run
    ) -> None:
        run, _ = repeated
        assert run["measures"] == searched["measures"]
        assert run["intervals"]["Success@5"] == searched["intervals"]["Success@5"]
        assert (run["book_resolved"], run["lost_at_ingest"]) == (0.333333, 1)


@pytest.fixture(scope="module")
def course_store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_store(tmp_path_factory.mktemp("course"), course()).location


@pytest.fixture
def games_file(tmp_path: Path) -> Path:
    """Four games about the course, and an unanswerable one."""
    unanswerable = {**record_of(labelled_game(game_id="no", hint="harbour cranes")), "paragraph_id": None}
    return write_games(tmp_path / "games.jsonl", [*map(record_of, course_games(course())[:4]), unanswerable])


@pytest.fixture
def quick(tmp_path: Path) -> str:
    """Settings that weigh few questions."""
    path = tmp_path / "quick.yaml"
    path.write_text("game: {questions_pool: 60}\n", encoding="utf-8")
    return str(path)


def lost_game() -> Mapping[str, Any]:
    return record_of(labelled_game(game_id="lost", paragraph_id="gamma:1:1", hint="fishing nets"))


RUN_KEYS = {
    *("games", "lost_at_ingest", "opening_sentence_exact", "measures", "intervals", "book_resolved", "abstained"),
    *("win_rate", "sentence_exact", "private_score", "associative_word_exact", "associative_word_top20", "latency_ms"),
    *("settings", "store_fingerprint", "commit", "seed", "repeats", "per_game"),
}
"""As docs/commands.md lists them."""


@pytest.mark.usefixtures("fast_models")
class TestCommand:
    def json_run(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> Run:
        """The one JSON document that `replay --json` prints."""
        assert run_main(main, "replay", "--json", *arguments) == 0
        found: Run = json.loads(capsys.readouterr().out)
        return found

    @pytest.mark.parametrize("referee", ["none", "oracle"])
    def test_json_has_the_keys_of_the_contract(
        self, course_store: str, games_file: Path, quick: str, capsys: pytest.CaptureFixture[str], referee: str
    ) -> None:
        arguments = ("--store", course_store, "--games", str(games_file), "--referee", referee, "--seed", "4")
        run = self.json_run(capsys, *arguments, "--config", quick)
        assert run.keys() >= RUN_KEYS
        assert list(run["measures"]) == ["Success@1", "Success@5", "Success@10", "Success@15", "Success@20", "RR"]
        assert all(low <= run["measures"][name] <= high for name, (low, high) in run["intervals"].items())
        for game in run["per_game"]:
            assert {"game_id", "rank", "slot", "strategy", "guess_rank", "won", "lost_at"} <= set(game)
        assert sorted(run["latency_ms"]) == ["decide", "embed", "questions", "search"]
        assert 0.0 <= run["latency_ms"]["search"]["p50"] <= run["latency_ms"]["search"]["p95"]
        assert (run["games"], run["unanswerable"], run["seed"], run["repeats"]) == (5, 1, 4, 1)
        assert (run["settings"]["preset"], run["settings"]["search"]["pdf_k"]) == ("default", 15)
        assert "token" not in run["settings"]
        if referee == "oracle":
            assert run["win_rate"] == run["sentence_exact"] == 1.0
            assert 50.0 <= run["private_score"] <= 100.0

    def test_the_same_inputs_and_seed_give_the_same_run_in_any_process(
        self, course_store: str, games_file: Path, quick: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        arguments = ["--store", course_store, "--games", str(games_file), "--config", quick]
        arguments += ["--referee", "noisy:0.3,0.2", "--repeats", "2", "--seed", "5"]
        here = self.json_run(capsys, *arguments)
        script = (
            "import sys; from quarry.ingest.embed import models; "
            "from tests.fakes import load_hashing_embedder; "
            "models.load_embedder = load_hashing_embedder; "
            "from quarry.evaluate.__main__ import main; sys.exit(main(sys.argv[1:]))"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, "replay", "--json", *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": "1"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        there = json.loads(done.stdout)
        assert len(here["per_game"]) == 8
        assert here.pop("latency_ms") != there.pop("latency_ms")
        assert json.dumps(here) == json.dumps(there)

    def test_a_table_is_printed_and_the_run_written_without_json(
        self, course_store: str, games_file: Path, quick: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "run.json"
        arguments = ["--store", course_store, "--games", str(games_file), "--config", quick]
        arguments += ["--referee", "oracle", "--out", str(out)]
        assert run_main(main, "replay", *arguments) == 0
        printed = capsys.readouterr().out
        run = json.loads(out.read_text(encoding="utf-8"))
        assert json.dumps(self.json_run(capsys, *arguments) | {"latency_ms": 0}) == json.dumps(run | {"latency_ms": 0})
        assert "5 games, 1 of them unanswerable, 0 lost at ingest" in printed
        low, high = run["intervals"]["RR"]
        assert f"  RR          {run['measures']['RR']:.3f} [{low:.3f}, {high:.3f}]\n" in printed
        assert f"private score {run['private_score']:.1f}\n" in printed

    def test_an_interrupted_replay_goes_on_where_it_was(
        self,
        course_store: str,
        games_file: Path,
        quick: str,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        out = tmp_path / "run.json"
        arguments = ["--store", course_store, "--games", str(games_file), "--config", quick, "--referee", "oracle"]
        whole = self.json_run(capsys, *arguments)
        played: list[str] = []
        record = Replayer.record

        def interrupted(self: Replayer, job: Job) -> GameRecord:
            played.append(job.game.game_id)
            if len(played) == 3:
                raise KeyboardInterrupt
            return record(self, job)

        monkeypatch.setattr(Replayer, "record", interrupted)
        assert run_main(main, "replay", *arguments, "--out", str(out)) == 130
        assert not out.exists()
        capsys.readouterr()
        assert run_main(main, "replay", *arguments, "--out", str(out), "--json") == 0
        captured = capsys.readouterr()
        assert f"resuming {out}: 2 games are finished" in captured.err
        assert played == ["g1", "g2", "g3", "g3", "g4", "no"]
        found = json.loads(captured.out)
        assert json.dumps({**found, "latency_ms": 0}) == json.dumps({**whole, "latency_ms": 0})
        assert sorted(path.name for path in tmp_path.glob("run*")) == ["run.games.jsonl", "run.json"]

    def test_what_became_of_a_lost_game_is_told(
        self, course_store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = write_games(tmp_path / "more.jsonl", [lost_game(), record_of(course_games(course())[0])])
        arguments = ("--store", course_store, "--games", str(path), "--measure", "nDCG@10")
        assert run_main(main, "replay", *arguments) == 0
        printed = capsys.readouterr().out
        assert "  lost: 1 of 2 (1 at ingest, 0 at the book, 0 in the search, 0 by the answers)\n" in printed
        assert "    lost: lost at ingest: the store holds no such paragraph\n" in printed
        assert "    g1: " not in printed
        assert "  nDCG@10     0.500 [" in printed

    def test_games_lost_at_ingest_are_counted_and_exit_with_1_where_that_is_asked_for(
        self, course_store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = write_games(tmp_path / "games.jsonl", [lost_game(), record_of(course_games(course())[0])])
        arguments = ("replay", "--store", course_store, "--games", str(path), "--json")
        assert run_main(main, *arguments, "--strict") == 1
        capsys.readouterr()
        assert run_main(main, *arguments) == 0
        captured = capsys.readouterr()
        run = json.loads(captured.out)
        assert (run["lost_at_ingest"], column(run, "lost_at")) == (1, ["ingest", None])
        assert run["measures"]["Success@20"] == 0.5
        assert captured.err.endswith("evaluate replay: 1 game is about a paragraph that the store does not hold\n")
