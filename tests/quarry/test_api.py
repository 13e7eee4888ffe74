"""The functions for notebooks, on a small course."""

import functools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import quarry
from configs.settings import GameSettings
from tests.fakes import LOCKS, ROOT, each, refusal, run_python

pytestmark = pytest.mark.usefixtures("evaluate")

STORE, GAMES = Path("store"), Path("games.jsonl")
refused = functools.partial(refusal, quarry.QuarryError)


def test_a_course_and_a_result_are_shown_as_a_line_a_table_and_a_page() -> None:
    opened = quarry.open_store(STORE)
    counts = "2 documents, 12 paragraphs"
    assert repr(opened) == f"Course({str(STORE.absolute())!r}, 'course': {counts})"
    result = quarry.search(STORE, "grammar <token> lookahead terminal")
    line = "SearchResult('grammar <token> lookahead terminal', 12 hits, best '"
    assert repr(result).startswith(line)
    relevances = result.to_dataframe()["relevance"].tolist()
    assert relevances == each(result.hits, "relevance")
    assert "&lt;token&gt;" in (result._repr_html_() or "")


def test_a_course_is_searched_from_any_current_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    course = quarry.open_store(STORE)
    monkeypatch.chdir("/")
    assert quarry.search(course, "grammar lookahead").hits


def test_a_file_that_cannot_be_read_is_named_and_an_error_if_it_is_the_only_one(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken, fine = Path("broken.jsonl"), Path("fine.jsonl")
    broken.write_text("{")
    fine.write_text(f'{{"paragraph_id": "p", "book_name": "b", "text": "{LOCKS}"}}')
    line = refused(quarry.ingest_folder, broken, "new", progress=False)
    assert "line 1: not a JSON object" in line
    course = quarry.ingest_folder([broken, fine], "new", progress=False)
    assert each(course.paragraphs, "text") == [LOCKS]
    assert "line 1: not a JSON object" in caplog.text


def test_runs_are_compared_and_exported() -> None:
    presets = ["default", "unfiltered"]
    runs, tests = quarry.compare(STORE, GAMES, presets, measures=["nDCG@10"])
    assert each(runs, "name") == presets
    assert set(tests["preset"]) == {"unfiltered"}
    assert "nDCG@10" in set(tests["measure"])
    unfiltered = quarry.load_settings("unfiltered")
    alone = quarry.replay(STORE, GAMES, settings=unfiltered, name="unfiltered")
    assert alone.means.items() < runs[1].means.items()
    exported = Path("new/exported")
    dual = quarry.replay(STORE, GAMES, settings=quarry.load_settings("dual"))
    files = quarry.export([runs[0], dual], exported)
    assert sorted(files) == sorted(exported.iterdir())
    names = {"default.run", "default.qrels", "dual.run", "dual.qrels"}
    assert names < {*each(files, "name")}


def test_runs_that_cannot_be_exported_are_refused() -> None:
    run = quarry.replay(STORE, GAMES)
    for runs, folder, says in (
        ([run, run], "exported", "Two runs are called default; rename one"),
        (replace(run, name="../a"), "exported", "run '../a' cannot name a file"),
        ([], "exported", "runs is empty; take at least one run"),
        (5, "exported", "runs is 5; it must be Run or Sequence"),
        (run, GAMES, "folder games.jsonl cannot be written: File"),
    ):
        assert says in refused(quarry.export, runs, folder)


def test_the_run_of_a_settings_file_has_the_name_of_the_file() -> None:
    for folder in ("mine", "theirs"):
        Path(folder).mkdir()
        Path(folder, "own.yaml").write_text("search: {pdf_k: 10}")
    runs, _ = quarry.compare(STORE, GAMES, ["default", "mine/own.yaml"])
    assert each(runs, "name") == ["default", "own"]
    assert Path("exported/own.run") in quarry.export(runs, "exported")
    alone = quarry.replay(STORE, GAMES, settings=quarry.load_settings("mine/own.yaml"))
    assert alone.name == "own"
    for presets in (["mine/own.yaml", "theirs/own.yaml"], ["dual", "dual"]):
        line = refused(quarry.compare, STORE, GAMES, presets)
        assert "give two runs the same name" in line


def test_settings_and_names_of_presets_are_compared_over_the_same_paragraphs() -> None:
    whole, hits = GameSettings().candidates, 0
    default = quarry.load_settings()
    own = replace(default, game=GameSettings(candidates=hits))
    settings = {"default": default, "own": own}
    beliefs = {"course": [whole, whole], "hits": [hits, hits], "preset": [whole, hits]}
    for belief, expected in beliefs.items():
        runs, _ = quarry.compare(STORE, GAMES, settings, belief=belief)  # type: ignore[arg-type]
        assert [run.settings["game"]["candidates"] for run in runs] == expected


def test_games_are_played_against_a_server_and_in_practice(url: str) -> None:
    quick = replace(quarry.load_settings(), game=GameSettings(questions_pool=60))
    [game] = quarry.play(STORE, url, settings=quick)
    assert game.guess
    assert game.outcome
    played = quarry.play(
        STORE, n_games=2, games=GAMES, referee="oracle", seed=1, settings=quick
    )
    assert len({game.game_id for game in played}) == 2
    for arguments, says in (
        ({"seed": 1, "server": url}, "seed cannot be combined with server, whose"),
        ({"player": ""}, "player is empty; name the player"),
        ({"token": "t"}, "token needs server; players of practice games register"),
        ({"referee": "nonsense"}, "'nonsense' is unknown"),
    ):
        assert says in refused(quarry.play, STORE, **arguments)


WHOLE = "it must be a whole number of at least"
"""Begin of the remedy for a number."""


def test_a_bad_argument_is_refused_in_one_line_before_anything_is_done() -> None:
    alone = {"course": "no such store", "settings": ["default"]}
    for function, arguments, says in (
        (quarry.search, {"hint": "x", "k": 2.5}, f"k is 2.5; {WHOLE} 1 or None"),
        (quarry.search, {"hint": "x", "k": True}, f"k is True; {WHOLE} 1 or None"),
        (quarry.search, {"hint": None}, "hint is None; it must be a text"),
        (quarry.search, {"hint": "grad\ud800ient"}, "half a surrogate pair"),
        (quarry.search, {"hint": "x", "settings": "dual"}, "settings of load_settings"),
        (quarry.search, {"hint": "x", "course": 5}, "must be a course or a text"),
        (quarry.search, {"hint": "x", "course": ""}, "store is empty; name a folder"),
        (quarry.play, {"n_games": 0}, f"n_games is 0; {WHOLE} 1"),
        (quarry.play, {"server": 5}, "server is 5; it must be a text or None"),
        (quarry.replay, {"seed": -1}, f"seed is -1; {WHOLE} 0"),
        (quarry.replay, {"games": [GAMES]}, "must be a text or a path"),
        (quarry.replay, {"n_games": 0}, f"n_games is 0; {WHOLE} 1"),
        (quarry.compare, {"settings": "dual"}, "'dual'; it must be a list of texts"),
        (quarry.compare, {"settings": {"a": "dual"}}, " or settings by name"),
        (quarry.compare, alone, "A comparison needs two runs, got 1"),
        (quarry.compare, {"settings": [], "belief": "hit"}, "one of course, hits, pre"),
        (quarry.tune, {"n_trials": 0}, f"n_trials is 0; {WHOLE} 1"),
        (quarry.tune, {"n_trials": "5"}, f"n_trials is '5'; {WHOLE} 1"),
    ):
        common = {"course": STORE}
        if function not in (quarry.search, quarry.play):
            common["games"] = GAMES

        assert says in refused(function, **(common | arguments))


def test_a_number_of_numpy_is_a_whole_number() -> None:
    assert len(quarry.search(STORE, "x", k=np.int64(3)).hits) == 3  # type: ignore[arg-type]


def test_the_search_is_tuned_and_its_settings_are_a_preset() -> None:
    result = quarry.tune(STORE, GAMES, 2, out=Path("tuned.yaml"))
    assert result["trials"] == 2
    tuned = quarry.load_settings("tuned.yaml").search
    assert tuned.k == result["tuned_settings"]["k"]


FINDER = f"""
import importlib.util, sys

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in ("configs", "ingest", "player", "evaluate", "quarry"):
            return importlib.util.spec_from_file_location(name, {str(ROOT)!r} + f"/{{name}}/__init__.py")

sys.meta_path.append(Finder)
"""
"""What an editable install leaves: a finder that maps the packages to their folders."""


@pytest.mark.long
def test_an_editable_install_is_imported_outside_the_checkout(tmp_path: Path) -> None:
    code = 'import quarry; print(quarry.load_settings("dual").preset, quarry.Course.__module__)'
    done = run_python("-c", f"{FINDER}\n{code}", folder=tmp_path)
    assert (done.stdout, done.stderr) == ("dual quarry.course.course\n", "")


def test_the_other_project_called_evaluate_is_named(tmp_path: Path) -> None:
    (tmp_path / "evaluate").mkdir()
    (tmp_path / "evaluate/__init__.py").touch()
    code = f"{FINDER}\nimport quarry; quarry.replay"
    last = run_python("-c", code, folder=tmp_path).stderr.splitlines()[-1]
    assert last.startswith("ImportError: The package 'evaluate' is ")
    assert last.endswith("Install Quarry into an environment of its own.")
