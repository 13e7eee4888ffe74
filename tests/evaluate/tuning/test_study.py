"""Studies: fit, choose, report once; seeded, resumable, shared; and the command around them."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
import yaml
from optuna.trial import TrialState

from quarry.configs.settings import Settings, load
from quarry.evaluate.__main__ import main
from quarry.evaluate.errors import TuneError
from quarry.evaluate.tuning.error_rates import ERROR_RATES
from quarry.evaluate.tuning.objective import Judged, search_part
from quarry.evaluate.tuning.prepared import require_known
from quarry.evaluate.tuning.space import DEFAULT_SPACE, load_space
from quarry.evaluate.tuning.storage import open_storage
from quarry.evaluate.tuning.study import STALE_S, _give_up_stale, _in_memory, _optimise, _verdict, importance
from tests.evaluate.fakes import course_games, labelled_game, make_store, record_of, run_main, write_games
from tests.player.fakes import course


def vars_of_space() -> dict[str, Any]:
    """The project's own space, as it is written."""
    tree: dict[str, Any] = yaml.safe_load(DEFAULT_SPACE.read_text(encoding="utf-8"))["search"]
    return tree


class TestJudged:
    @pytest.mark.parametrize(
        ("objective", "value"), [("RR", 0.5), ("Success@1", 1 / 3), ("Success@5", 2 / 3), ("Success@20", 2 / 3)]
    )
    def test_an_objective_by_name_is_that_measure_and_its_gain_is_tested(self, objective: str, value: float) -> None:
        judged = Judged(np.array([1, 2, 0]), np.array([True] * 3), np.array([True] * 3), objective)
        assert judged.objective == judged.by_game.mean() == pytest.approx(value)

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
        proposed = space.suggest(study.ask(), settings.search)
        path = tmp_path / "tuned.yaml"
        path.write_text(
            yaml.safe_dump({"search": {key: getattr(proposed, key) for key in space.keys}}), encoding="utf-8"
        )
        assert load(config=path).search == proposed

    def test_values_are_stored_as_they_are_used(self, settings: Settings, tmp_path: Path) -> None:
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
        space = load_space()
        for _ in range(200):
            trial = study.ask()
            used = space.suggest(trial, settings.search)
            assert set(trial.params) == set(space.keys)
            for key, stored in trial.params.items():
                assert math.isclose(getattr(used, key), stored, abs_tol=1e-9), key

    @pytest.mark.parametrize("keys", [["filter_confidence"], ["pdf_k"], ["threshold", "sentence_weight"], ["global_k"]])
    def test_what_is_tuned_alone_is_drawn_beside_what_is_not(
        self, keys: list[str], settings: Settings, tmp_path: Path
    ) -> None:
        mine = tmp_path / "space.yaml"
        mine.write_text(yaml.safe_dump({"search": {key: vars_of_space()[key] for key in keys}}), encoding="utf-8")
        base = load(changes=["search.pdf_k=12", "search.global_k=5"]).search
        space = load_space(mine)
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
        for _ in range(50):
            trial = study.ask()
            used = asdict(space.suggest(trial, base))
            assert {key for key in used if used[key] != asdict(base)[key]} <= set(keys)

    @pytest.mark.parametrize("seed", range(30))
    def test_proposed_error_rates_are_within_the_settings_bounds(
        self, seed: int, tmp_path: Path, settings: Settings
    ) -> None:
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
        proposed = ERROR_RATES.suggest(study.ask(), settings.game)
        path = tmp_path / "tuned.yaml"
        path.write_text(yaml.safe_dump({"game": ERROR_RATES.values(proposed)}), encoding="utf-8")
        assert load(config=path).game == proposed

    def test_importances_are_of_all_that_was_tuned_also_of_what_was_drawn_beneath_others(
        self, settings: Settings
    ) -> None:
        part = search_part(load_space())
        study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0))
        study.optimize(lambda trial: part.suggest(trial, settings.search).boost_confidence, n_trials=40)
        found = importance(_in_memory(study, part.distributions))
        assert set(found) == set(load_space().keys)
        assert max(found, key=lambda key: found[key]) in ("boost_confidence", "filter_confidence")

    def test_the_first_trial_is_the_untuned_settings(self, settings: Settings) -> None:
        space = load_space()
        found = space.settings_of(space.values_of(settings.search), settings.search)
        for key in space.keys:
            assert math.isclose(getattr(found, key), getattr(settings.search, key), abs_tol=0.01)

    def test_what_the_arrays_do_not_know_is_refused(self, settings: Settings) -> None:
        require_known(settings.search)
        with pytest.raises(TuneError, match=r"search\.rewrite must be off to be tuned, got feedback"):
            require_known(replace(settings.search, rewrite="feedback"))


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

    def test_error_rates_are_tuned_on_games_that_referees_answer(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out, trials = tmp_path / "tuned.yaml", tmp_path / "trials.json"
        referees = ("--referee", "oracle", "--referee", "random")
        arguments = ("--trials", "8", "--json", "--study-out", str(trials), *referees)
        assert self.tuned(store, games, out, *arguments) == 0
        found = json.loads(capsys.readouterr().out)["game"]
        assert (found["trials"], found["referees"]) == (8, ["oracle", "random"])
        assert found["tuned"]["validation"]["objective"] >= found["untuned"]["validation"]["objective"]
        assert found["tuned"]["test"]["games"] == 4
        assert {"log score", "win rate, oracle", "win rate, random"} < set(found["tuned"]["test"]["measures"])
        assert found["gain"]["measure"] == "log score"
        written = yaml.safe_load(out.read_text(encoding="utf-8"))
        assert written["game"] == found["settings"]
        assert written["provenance"]["game"]["gain"] == found["gain"]
        assert load(config=out).game.useless_share == found["settings"]["useless_share"]
        assert len(json.loads(trials.read_text(encoding="utf-8"))["game"]["history"]) == 8

    def test_what_was_written_is_in_force_where_it_is_named_and_nowhere_else(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "tuned.yaml"
        assert self.tuned(store, games, out, "--trials", "6", "--referee", "oracle", "--json") == 0
        capsys.readouterr()
        # what a study chose may be what was there: two numbers that no default has tell that the file is read
        written = yaml.safe_load(out.read_text(encoding="utf-8"))
        written["search"]["rule_weight"], written["game"]["error_scale"] = 1.23, 1.45
        out.write_text(yaml.safe_dump(written), encoding="utf-8")

        def used(store: str, *arguments: str) -> tuple[dict[str, Any], str]:
            fixed = ("--store", store, "--games", games, "--split", "test", "--json")
            assert run_main(main, "replay", *fixed, *arguments) == 0
            captured = capsys.readouterr()
            settings: dict[str, Any] = json.loads(captured.out)["settings"]
            return settings, captured.err

        for flag in ("--config", "--preset"):
            settings, said = used(store, flag, str(out))
            assert (settings["search"]["rule_weight"], settings["game"]["error_scale"]) == (1.23, 1.45)
            assert settings["tuned_on"] == written["provenance"]["store_fingerprint"]
            assert "tuned settings are in force" in said
            assert "tuned on another store" not in said
        untuned, said = used(store)
        assert untuned["search"]["rule_weight"] == load().search.rule_weight != 1.23
        assert "tuned" not in said
        other = make_store(tmp_path / "other", course()[:11]).location
        assert "tuned on another store" in used(other, "--config", str(out))[1]

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
        assert load(config=tmp_path / "tuned.yaml").tuned_on
        assert "best 0." in captured.err or "best 1." in captured.err

    def test_a_study_tells_other_tools_what_was_tuned(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        journal = str(tmp_path / "study.journal")
        arguments = ("--trials", "12", "--storage", journal, "--objective", "Success@1")
        assert self.tuned(store, games, tmp_path / "tuned.yaml", *arguments) == 0
        shown = capsys.readouterr().out
        assert "objective: Success@1" in shown
        study = optuna.load_study(study_name=None, storage=open_storage(journal))
        assert study.metric_names == ["Success@1"]
        assert study.user_attrs["store"] == store
        assert study.user_attrs["untuned"]["pdf_k"] == load().search.pdf_k
        for trial in study.trials:
            assert trial.user_attrs.keys() >= {"RR", "Success@20", "pdf_k"}
            assert trial.user_attrs["Success@1"] == trial.value
        assert run_main(main, "tune", "--store", store, "--games", games, "--trials", "1", "--objective", "RRR") == 2
        assert "got 'RRR'; did you mean RR?" in capsys.readouterr().err

    def test_commands_that_share_a_study_make_exactly_the_trials_asked_for(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], settings: Settings
    ) -> None:
        journal = str(tmp_path / "study.journal")
        arguments = ("--trials", "10", "--storage", journal)
        assert self.tuned(store, games, tmp_path / "tuned.yaml", *arguments) == 0
        study = optuna.load_study(study_name=None, storage=open_storage(journal))
        part = search_part(load_space())
        judged = Judged(np.array([1]), np.array([True]), np.array([True]))
        shared = replace(part, judge=lambda games, settings: judged)
        # another process begins a trial whenever this one judges
        asked: list[optuna.Trial] = []
        no_games: Any = None

        def meddled(games: Any, found: Any) -> Judged:
            if len(asked) < 3:
                asked.append(study.ask())
            return judged

        _optimise(replace(shared, judge=meddled), no_games, settings.search, study, 16)
        states = [trial.state for trial in study.trials]
        assert states.count(TrialState.COMPLETE) + len(asked) == 16
        for trial in asked:
            study.tell(trial, 0.5)
        _optimise(shared, no_games, settings.search, study, 16)
        assert sum(trial.state == TrialState.COMPLETE for trial in study.trials) == 16

    def test_a_trial_of_a_killed_process_is_made_up_for(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        journal = str(tmp_path / "study.journal")
        assert self.tuned(store, games, tmp_path / "tuned.yaml", "--trials", "2", "--storage", journal) == 0
        study = optuna.load_study(study_name=None, storage=open_storage(journal))
        left = study.ask()
        later = datetime.now() + timedelta(seconds=2 * STALE_S)
        _give_up_stale(study)
        assert study.trials[left.number].state == TrialState.RUNNING, "it may still be at work"
        _give_up_stale(study, later)
        assert study.trials[left.number].state == TrialState.FAIL

    @pytest.mark.parametrize(
        ("p", "difference", "says"),
        [(0.2, 0.1, "is not significant"), (0.01, 0.1, "is better than"), (0.01, -0.1, "is WORSE than")],
    )
    def test_a_gain_that_is_not_significant_is_called_so(self, p: float, difference: float, says: str) -> None:
        assert says in _verdict({"p": p, "difference": difference})

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
            (["--trials", "5", "--referee", "none"], "--referee must answer questions to tune error rates, got none"),
            (["--trials", "5", "--referee", "no"], "referee"),
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
        config.write_text("search: {rewrite: feedback}\n", encoding="utf-8")
        arguments = ("--trials", "5", "--config", str(config))
        assert self.tuned(store, games, tmp_path / "tuned.yaml", *arguments) == 2
        assert "search.rewrite must be off to be tuned, got feedback" in capsys.readouterr().err


def test_a_password_is_not_told() -> None:
    with pytest.raises(TuneError) as caught:
        open_storage("postgresql://me:s3cret@127.0.0.1:1/studies")
    assert "got postgresql://me:***@127.0.0.1:1/studies: " in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_an_unknown_database_is_refused() -> None:
    with pytest.raises(TuneError, match="--storage must be a URL of a database that answers"):
        open_storage("nosuch://host/db")


def test_a_value_that_others_left_outside_a_parameters_own_is_kept() -> None:
    study = optuna.create_study()
    trial = study.ask()
    trial.suggest_int("global_k", 0, 0)
    study.tell(trial, 1.0)
    whole = {"global_k": optuna.distributions.IntDistribution(2, 10)}
    assert [kept.params for kept in _in_memory(study, whole).trials] == [{"global_k": 0}]
