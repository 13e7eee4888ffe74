"""Bad input to any command of the harness exits with 2 and one line; nothing is printed or written."""

from pathlib import Path

import pytest

from tests.evaluate.fakes import (
    Evaluate,
    course_records,
    make_store,
    write_games,
)
from tests.player.fakes import course

GAMES = "--games games.jsonl"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder with a store, and games about it."""
    working = tmp_path_factory.mktemp("bad")
    make_store(working / "store", course())
    make_store(working / "one", course()[:1])
    write_games(working / "games.jsonl", course_records())
    (working / "broken.jsonl").write_text("{", encoding="utf-8")
    (working / "other.jsonl").write_text(
        '{"hint": "h", "paragraph_id": "gamma:1:1", "split": "train"}', encoding="utf-8"
    )
    return working


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("", "the command '' is unknown"),
        (
            f"replay {GAMES} --split dev",
            "--split 'dev' is unknown; take train, validation, test",
        ),
        (f"replay {GAMES} --preset best", "preset 'best' is unknown"),
        (
            f"replay {GAMES} --referee noisy:0.8,0.3",
            "shares wrong and declined of 0.8 and 0.3",
        ),
        (f"replay {GAMES} --workers -1", "--workers: -1 is less than 0"),
        (
            f"replay {GAMES} --repeats many",
            "--repeats: 'many' is not a whole number",
        ),
        (f"replay {GAMES} --collection another", "is not in "),
        (
            f"replay {GAMES} --config nowhere.yaml",
            "--config nowhere.yaml does not exist",
        ),
        (
            f"replay {GAMES} --measure nDCG10",
            "take one of ir-measures that needs no more than a relevant",
        ),
        (f"replay {GAMES} --frobnicate", "unrecognized arguments: --frobnicate"),
        (
            f"replay {GAMES} --referee oracle --referee oracle",
            " is named twice",
        ),
        (
            f"replay {GAMES} --answers a.jsonl",
            "--answers and --batches belong together",
        ),
        (
            f"replay {GAMES} --answers a --batches b --referee oracle",
            "--answers takes the place of --referee",
        ),
        (
            f"replay {GAMES} --out nowhere/table.json",
            "--out: the folder of ",
        ),
        (
            f"serve {GAMES} --port 0 --referee none",
            "--referee none answers no questions",
        ),
        (
            f"serve {GAMES} --port 0 --store nowhere",
            "--store nowhere holds no store",
        ),
        (
            "serve --port 0 --games nowhere.jsonl",
            "--games nowhere.jsonl cannot be read",
        ),
        (
            f"serve {GAMES} --port 65536",
            "--port 65536 cannot be used on 127.0.0.1: ",
        ),
        (
            f"compare {GAMES} --presets dual,filterd",
            "or a YAML file; did you mean filtered?",
        ),
        (
            f"compare {GAMES} --presets dual,filtered --set search.kk=1",
            "--set search.kk=1: search has no key",
        ),
        (
            f"compare {GAMES}",
            "compare needs --games and --presets, or RUN.json files",
        ),
        (
            f"compare {GAMES} nowhere.json",
            "compare takes RUN.json files, or --games and --presets; leave one out",
        ),
        (
            f"compare {GAMES} --presets dual,filtered --measure nowhere.mine",
            "cannot be imported and made",
        ),
        (
            f"compare {GAMES} --presets dual,filtered --out games.jsonl",
            " cannot be written: ",
        ),
        ("report nowhere.json", "nowhere.json cannot be read"),
        ("export --out out", "The first file is missing; name a RUN.json"),
        (f"tune {GAMES} --trials 0", "--trials: 0 is less than 1"),
        (f"tune {GAMES} --trials 5 --workers 0", "--workers: 0 is less than 1"),
        (
            f"tune {GAMES} --trials 5 --storage nowhere/study.db",
            " cannot be used: ",
        ),
        (f"tune {GAMES} --grid boost=1 --trials 3", "one of them"),
        (
            f"tune {GAMES} --grid accuracy=fast",
            "--grid 'accuracy=fast' is not KEY=A,B,... with a KEY of",
        ),
        (f"tune {GAMES} --grid boost=@", "a value is not valid YAML. Quote it."),
        (f"tune {GAMES} --grid boost=1,99", "99 is no value of search.boost"),
        (
            f"calibrate search {GAMES}",
            "--games has no hint that shares no word with its paragraph",
        ),
        (
            f"calibrate search {GAMES} --store one",
            "at least 2 documents are needed",
        ),
        ("games check --games broken.jsonl", "broken.jsonl line 1: "),
        (f"games check {GAMES} --store nowhere", "run: quarry ingest"),
        (
            f"questions {GAMES} --out b.jsonl --view opening",
            "--view needs --for-respondent",
        ),
        (
            "replay --games other.jsonl",
            "games is about a paragraph of",
        ),
    ],
)
def test_it_exits_with_2_and_one_line(
    folder: Path,
    evaluate: Evaluate,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    says: str,
) -> None:
    monkeypatch.chdir(folder)
    before = sorted(path.name for path in folder.iterdir())
    arguments = command.split()
    takes_store = arguments[:1] not in ([], ["report"], ["export"])
    if takes_store and "--store" not in arguments:
        arguments += ["--store", "store"]

    code, out, err = evaluate(*arguments)
    assert code == 2
    assert says in err
    assert (out, err.count("\n")) == ("", 1)
    assert sorted(path.name for path in folder.iterdir()) == before
