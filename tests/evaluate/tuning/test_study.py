"""Studies: fit, choose, report once; seeded, resumable, shared; and the command around them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import optuna
import pytest
import yaml

from quarry.configs.settings import Settings, SettingsError, load
from quarry.evaluate.__main__ import main
from quarry.evaluate.errors import TuneError
from quarry.evaluate.tuning.objective import Judged
from quarry.evaluate.tuning.prepared import require_known
from quarry.evaluate.tuning.space import load_space, nearest, numbers_of, settings_of
from quarry.evaluate.tuning.storage import open_storage
from quarry.evaluate.tuning.study import complete, importance, verdict
from tests.evaluate.fakes import course_games, labelled_game, make_store, record_of, run_main, write_games
from tests.player.fakes import course


class TestJudged:
    def test_the_objective_adds_success_and_abstention_to_rr(self) -> None:
        # RR (1 + 1/2 + 0)/3, Success 2/3; answered 2 of 3, declined 1 of 2: (2/3 + 1/2)/2
        judged = Judged(
            np.array([1, 2, 0, 0, 0]),
            np.array([True, True, False, True, False]),
            np.array([True, True, True, False, False]),
        )
        assert judged.balanced_accuracy == pytest.approx(7 / 12)
        assert judged.objective == pytest.approx(0.5 + 0.1 * 2 / 3 + 0.1 * 7 / 12)
        assert judged.as_json(0)["measures"] == {
            "RR": 0.5,
            "Success@1": round(1 / 3, 6),
            "Success@5": round(2 / 3, 6),
            "Success@20": round(2 / 3, 6),
        }

    def test_without_unanswerable_games_those_answered_count(self) -> None:
        judged = Judged(np.array([1, 0]), np.array([True, False]), np.array([True, True]))
        assert judged.balanced_accuracy == 0.5


class TestSpace:
    @pytest.mark.parametrize("seed", range(30))
    def test_whatever_is_proposed_is_within_the_settings_bounds(
        self, seed: int, tmp_path: Path, settings: Settings
    ) -> None:
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
        space = load_space()
        proposed = settings_of(study.ask(fixed_distributions=dict(space)).params, settings.search)
        path = tmp_path / "tuned.yaml"
        path.write_text(yaml.safe_dump({"search": {key: getattr(proposed, key) for key in space}}), encoding="utf-8")
        assert load(config=path).search == proposed

    def test_what_must_not_exceed_another_is_lowered_to_it(self, settings: Settings) -> None:
        drawn = {"pdf_k": 15, "global_k": 12, "sentence_weight": 0.7, "sentence_mean_weight": 0.9, "threshold": 0.2}
        found = settings_of(drawn, settings.search)
        assert (found.pdf_k, found.global_k, found.sentence_mean_weight) == (15, 5, 0.3)
        assert found.lowered_threshold == 0.2
        none = settings_of({"pdf_k": 0, "global_k": 0}, settings.search)
        assert (none.pdf_k, none.global_k) == (0, 1)

    def test_importances_are_of_all_that_was_tuned(self, settings: Settings) -> None:
        space = load_space()
        study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0))
        for _ in range(40):
            trial = study.ask(fixed_distributions=dict(space))
            study.tell(trial, settings_of(trial.params, settings.search).boost_confidence)
        found = importance(complete(study))
        assert set(found) == set(space)
        assert max(found, key=lambda key: found[key]) in ("boost_confidence", "filter_confidence")

    def test_the_first_trial_is_the_untuned_settings(self, settings: Settings) -> None:
        space = load_space()
        found = settings_of(numbers_of(space, settings.search), settings.search)
        for key in space:
            assert math.isclose(getattr(found, key), getattr(settings.search, key), abs_tol=0.01)

    def test_the_nearest_choice_is_the_same_or_the_first(self) -> None:
        choices = optuna.distributions.CategoricalDistribution(["rule", "fused"])
        assert [nearest(choices, value) for value in ("fused", "off")] == ["fused", "rule"]

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("search: {k: ['20', 5]}", "search.k must be of type int, got '20'"),
            ("search: {k: [true]}", "search.k must be of type int, got True"),
            ("search: {threshold: {low: '0.5', high: 0.9, step: 0.1}}", "search.threshold must be of type float"),
            ("search: {threshold: {low: 0.5, high: 1.5}}", "search.threshold must be within 0.0..1.0, got 1.5"),
            ("search: {strategies: [[dense], [keyword]]}", "strategies must be a list of values or bounds"),
            ("search: {cascade: ['yes']}", "search.cascade must be of type bool, got 'yes'"),
            ("search: {fusions: [rrf]}", "did you mean fusion?"),
            ("search: {k: 5}", "k must be a list of values or bounds, got 5"),
            ("search: {k: {low: 5, high: 4}}", "k must be a list of values or bounds, got {"),
            ("game: {candidates: [5]}", "must hold a section search with at least one key and nothing else"),
        ],
    )
    def test_a_bad_space_is_refused(self, tmp_path: Path, text: str, says: str) -> None:
        path = tmp_path / "space.yaml"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(SettingsError) as caught:
            load_space(path)
        assert says in str(caught.value)
        assert str(path) in str(caught.value)

    def test_choices_and_bounds_of_any_key_are_read(self, tmp_path: Path) -> None:
        path = tmp_path / "space.yaml"
        path.write_text(
            "search: {keywords: [fused, off], pdf_k: {low: 0, high: 20}}\n",
            encoding="utf-8",
        )
        space = load_space(path)
        assert space["keywords"] == optuna.distributions.CategoricalDistribution(["fused", "off"])
        assert space["pdf_k"] == optuna.distributions.IntDistribution(0, 20)

    def test_what_the_arrays_do_not_know_is_refused(self, settings: Settings) -> None:
        require_known(settings.search)
        with pytest.raises(TuneError, match=r"search\.rewrite must be off to be tuned, got my\.Rewriter"):
            require_known(replace(settings.search, rewrite="my.Rewriter"))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_store(tmp_path_factory.mktemp("store"), course()).location


@pytest.fixture
def games(tmp_path: Path) -> str:
    """Four games a split, and an unanswerable one each."""
    records = []
    for row, game in enumerate(course_games(course())):
        records.append({**record_of(game), "split": ("train", "validation", "test")[row % 3]})
    for split in ("train", "validation", "test"):
        no = labelled_game(game_id=f"no {split}", hint=f"harbour cranes {split}")
        records.append({**record_of(no), "paragraph_id": None, "split": split})
    return str(write_games(tmp_path / "games.jsonl", records))


@pytest.mark.usefixtures("fast_models")
class TestCommand:
    def tuned(self, store: str, games: str, out: Path, *arguments: str) -> int:
        fixed = ("--store", store, "--games", games, "--out", str(out))
        return run_main(main, "tune", *fixed, *arguments)

    def test_settings_are_written_with_their_provenance(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out, trials = tmp_path / "tuned.yaml", tmp_path / "trials.json"
        assert self.tuned(store, games, out, "--trials", "12", "--json", "--study-out", str(trials)) == 0
        captured = capsys.readouterr()
        found = json.loads(captured.out)
        assert found["trials"] == 12
        for kind in ("tuned", "untuned"):
            for split in ("train", "validation", "test"):
                assert found[kind][split]["games"] == 5
                low, high = found[kind][split]["intervals"]["RR"]
                assert low <= found[kind][split]["measures"]["RR"] <= high
        assert found["tuned"]["validation"]["objective"] >= found["untuned"]["validation"]["objective"]
        assert "5 train games are few for 10 parameters of search" in captured.err
        written = yaml.safe_load(out.read_text(encoding="utf-8"))
        assert written["search"] == found["settings"]
        assert written["provenance"]["gain"] == found["gain"]
        assert {"commit", "store_fingerprint", "seed", "trials", "seconds"} <= set(written["provenance"])
        assert load(config=out).search.pdf_k == found["settings"]["pdf_k"]
        assert len(json.loads(trials.read_text(encoding="utf-8"))["history"]) == 12

    def test_what_was_written_is_in_force_where_it_is_named_and_nowhere_else(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "tuned.yaml"
        assert self.tuned(store, games, out, "--trials", "6", "--json") == 0
        capsys.readouterr()
        # what a study chose may be what was there: a number that no default has tells that the file is read
        written = yaml.safe_load(out.read_text(encoding="utf-8"))
        written["search"]["rule_weight"] = 1.23
        out.write_text(yaml.safe_dump(written), encoding="utf-8")
        for flag in ("--config", "--preset", "--seed"):
            value = "0" if flag == "--seed" else str(out)
            fixed = ("--store", store, "--games", games, "--split", "test", "--json")
            assert run_main(main, "replay", *fixed, flag, value) == 0
            found = json.loads(capsys.readouterr().out)["settings"]["search"]["rule_weight"]
            assert found == (load().search.rule_weight if flag == "--seed" else 1.23)

    def test_a_gain_that_is_not_significant_is_not_offered(
        self,
        store: str,
        games: str,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.chdir(tmp_path)
        arguments = ("tune", "--store", store, "--games", games, "--trials", "3")
        assert run_main(main, *arguments) == 0
        assert "nothing written: the untuned settings stay the better choice" in capsys.readouterr().out
        assert not (tmp_path / "tuned.yaml").exists()
        monkeypatch.setattr("quarry.evaluate.tuning.study.is_better", lambda gain: True)
        assert run_main(main, *arguments) == 0
        captured = capsys.readouterr()
        assert "python -m evaluate replay --config tuned.yaml" in captured.out
        assert load(config=tmp_path / "tuned.yaml")
        assert "best 0." in captured.err or "best 1." in captured.err

    def test_a_study_tells_other_tools_what_was_tuned(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        journal = str(tmp_path / "study.journal")
        assert self.tuned(store, games, tmp_path / "tuned.yaml", "--trials", "12", "--storage", journal) == 0
        assert "objective: RR + 0.1 Success@k" in capsys.readouterr().out
        study = optuna.load_study(study_name=None, storage=open_storage(journal))
        assert study.user_attrs["store"] == store
        assert study.user_attrs["untuned"]["pdf_k"] == load().search.pdf_k
        for trial in study.trials:
            assert trial.user_attrs.keys() >= {"RR", "Success@20"}

    def test_a_trial_of_a_killed_process_is_made_up_for(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        journal = str(tmp_path / "study.journal")
        for n_trials in ("2", "6"):
            arguments = ("--trials", n_trials, "--storage", journal)
            assert self.tuned(store, games, tmp_path / "tuned.yaml", *arguments) == 0
            study = optuna.load_study(study_name=None, storage=open_storage(journal))
            study.ask()
            assert len(complete(study)) == int(n_trials)

    @pytest.mark.parametrize(
        ("p", "difference", "says"),
        [(0.2, 0.1, "is not significant"), (0.01, 0.1, "is better than"), (0.01, -0.1, "is WORSE than")],
    )
    def test_a_gain_that_is_not_significant_is_called_so(self, p: float, difference: float, says: str) -> None:
        assert says in verdict({"p": p, "difference": difference})

    def test_where_no_trial_was_better_the_untuned_settings_stay_and_that_is_said(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert self.tuned(store, games, tmp_path / "tuned.yaml", "--trials", "1") == 0
        printed = capsys.readouterr().out
        assert "none of the trials was better on the validation games: the untuned settings stay" in printed
        assert "  test       untuned" in printed

    def test_the_same_seed_tunes_alike(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        histories = []
        for name in "ab":
            path = tmp_path / f"{name}.json"
            arguments = ("--trials", "15", "--seed", "3", "--study-out", str(path))
            assert self.tuned(store, games, tmp_path / f"{name}.yaml", *arguments) == 0
            histories.append(json.loads(path.read_text(encoding="utf-8"))["history"])
        assert histories[0] == histories[1]

    @pytest.mark.parametrize("storage", ["study.journal", "sqlite:///{}/study.db"])
    def test_a_study_goes_on(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], storage: str
    ) -> None:
        spec = storage.format(tmp_path) if "{}" in storage else str(tmp_path / storage)
        for n_trials, n_before in ((6, 0), (10, 6)):
            arguments = ("--trials", str(n_trials), "--storage", spec, "--json")
            assert self.tuned(store, games, tmp_path / "tuned.yaml", *arguments) == 0
            found = json.loads(capsys.readouterr().out)
            assert (found["trials"], found["trials_before"]) == (n_trials, n_before)

    def test_processes_share_one_journal(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        journal = tmp_path / "study.journal"
        arguments = ("--trials", "16", "--workers", "2", "--storage", str(journal), "--json")
        assert self.tuned(store, games, tmp_path / "tuned.yaml", *arguments) == 0
        assert json.loads(capsys.readouterr().out)["trials"] == 16
        assert len({json.loads(line)["worker_id"] for line in journal.read_text().splitlines()}) >= 3

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (["--trials", "0"], "--trials must be at least 1, got 0"),
            (["--trials", "5", "--workers", "0"], "--workers must be at least 1, got 0"),
            (["--trials", "5", "--storage", "nowhere/study.journal"], "--storage must be a URL of a database"),
            (["--trials", "5", "--storage", "sqlite:////nowhere/study.db"], "--storage must be a URL of a database"),
            (["--trials", "5", "--games", "nowhere.jsonl"], "--games must be a readable file"),
            (["--trials", "5", "--store", "nowhere"], "--store must be a folder made by ingest"),
            (["--trials", "5", "--out", "nowhere/tuned.yaml"], "--out must be in a folder that is there"),
        ],
    )
    def test_bad_input_exits_with_2_and_one_line(
        self,
        store: str,
        games: str,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        arguments: list[str],
        says: str,
    ) -> None:
        assert self.tuned(store, games, tmp_path / "tuned.yaml", *arguments) == 2
        captured = capsys.readouterr()
        assert says in captured.err
        assert captured.out == ""
        assert captured.err.splitlines()[-1].startswith("evaluate tune: ")

    def test_games_of_another_corpus_exit_with_2(
        self, store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        records = [
            {**record_of(labelled_game(game_id=split, hint=split, paragraph_id="gamma:1:1")), "split": split}
            for split in ("train", "validation", "test")
        ]
        games = str(write_games(tmp_path / "games.jsonl", records))
        assert self.tuned(store, games, tmp_path / "tuned.yaml", "--trials", "5") == 2
        assert "at least one game must be about a paragraph of" in capsys.readouterr().err

    def test_settings_that_the_arrays_do_not_know_exit_with_2(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        config = tmp_path / "mine.yaml"
        config.write_text("search: {rewrite: my.Rewriter}\n", encoding="utf-8")
        arguments = ("--trials", "5", "--config", str(config))
        assert self.tuned(store, games, tmp_path / "tuned.yaml", *arguments) == 2
        assert "search.rewrite must be off to be tuned, got my.Rewriter" in capsys.readouterr().err


def test_a_password_is_not_told() -> None:
    with pytest.raises(TuneError) as caught:
        open_storage("postgresql://me:s3cret@127.0.0.1:1/studies")
    assert "got postgresql://me:***@127.0.0.1:1/studies: " in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_an_unknown_database_is_refused() -> None:
    with pytest.raises(TuneError, match="--storage must be a URL of a database that answers"):
        open_storage("nosuch://host/db")
