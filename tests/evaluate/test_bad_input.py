"""Bad input to any command of the harness exits with 2 and one line; nothing is printed or written."""

from pathlib import Path

import pytest

from tests.evaluate.fakes import ABOUT, Evaluate, write_games
from tests.fakes import shorten

BAD = {
    f"replay {ABOUT} --split dev": 'Invalid value "dev" for --split. Choose from: "train", "validation", "test"',
    f"replay {ABOUT} --referee noisy:0.8,0.3": "shares wrong and declined of 0.8 and 0.3",
    f"replay {ABOUT} --workers -1": '"-1" for --workers. Must be >= 0',
    f"replay {ABOUT} --repeats 99999999999": '"99999999999" for --repeats. Must be <= 1000',
    f"replay {ABOUT} --repeats 0": '"0" for --repeats. Must be >= 1',
    f"replay {ABOUT} --limit 0": '"0" for --limit. Must be > 0',
    f"replay {ABOUT} --seed {'9' * 5_000}": "value for --seed: unable",
    f"replay {ABOUT} --collection another": "holds no collection 'another'",
    f"replay {ABOUT} --measure nDCG10": "take one of ir-measures that needs no more than a relevant",
    f"replay {ABOUT} --frobnicate": "Unknown option: --frobnicate",
    "replay --store store": "--games FILE is missing",
    f"replay {ABOUT} --referee oracle --referee oracle": " is named twice",
    f"replay {ABOUT} --answers a.jsonl": "--answers and --batches belong together",
    f"replay {ABOUT} --answers a --batches b --referee oracle": "--answers takes the place of --referee",
    f"replay {ABOUT} --out nowhere/table.json": "for --out. the folder of ",
    f"serve {ABOUT} --port 0 --referee none": "The referee none answers no questions",
    "serve --games games.jsonl --port 0 --store nowhere": "--store nowhere holds no store",
    "serve --store store --port 0 --games nowhere.jsonl": "--games nowhere.jsonl cannot be read",
    f"serve {ABOUT} --port 65536": "--port 65536 cannot be used on 127.0.0.1: ",
    f"compare {ABOUT} --presets dual,filterd": "or a YAML file; did you mean filtered?",
    f"compare {ABOUT} --presets dual,filtered --set search.kk=1": "--set search.kk=1: search has no key",
    f"compare {ABOUT} --presets dual,rrf,dual": "give two runs the same name; name each once",
    f"compare {ABOUT} --presets dual,compare.yaml --out out": "is the file of the comparison",
    "compare nowhere.json --repeats 2": "--repeats is for --presets",
    "compare a.json b.json --store nowhere": "--store is for --presets",
    "compare a.json b.json --collection my": "--collection is for --presets",
    "compare a.json b.json --config nowhere.yaml": "--config is for --presets",
    "compare a.json b.json --workers 3": "--workers is for --presets",
    "compare a.json b.json --cluster tcp://a:1": "--cluster is for --presets",
    "callbacks --force": "--force is for --write",
    f"replay {ABOUT} --referee oracle --referee none --measure RR": "leave out --measure",
    f"replay {ABOUT} --answers a --batches b --repeats 2": "leave out --repeats",
    f"compare {ABOUT}": "compare needs --games and --presets, or RUN.json files",
    f"compare {ABOUT} nowhere.json": "--games is for --presets; leave it out, or the RUN.json files",
    f"compare {ABOUT} --presets dual,filtered --measure nowhere.mine": "cannot be imported and made",
    f"compare {ABOUT} --presets dual,filtered --out games.jsonl": " cannot be written: ",
    f"report {'x' * 9_000}.json": "File name too long",
    f"replay --store store --games {'x' * 300}": "File name too long",
    f"replay {ABOUT} --out {'x' * 300}.json": "File name too long",
    f"replay {ABOUT} --out run.md": "run.md does not end in .json",
    f"replay --games games.jsonl --store {'x' * 300}": "x",
    "report nowhere.json": "nowhere.json cannot be read",
    "export --out out": "No run is named; name a RUN.json",
    f"tune {ABOUT} --trials 0": '"0" for --trials. Must be > 0',
    f"tune {ABOUT} --trials 5 --storage nowhere/study.db": "nowhere/study.db cannot be opened: unable to open database "
    "file",
    f"tune {ABOUT} --grid boost=1 --trials 3": "one of them",
    f"tune {ABOUT} --grid accuracy=fast": "--grid 'accuracy=fast' is not KEY=A,B,... with a KEY of",
    f"tune {ABOUT} --grid boost=@": "@ is no value of search.boost; it must be a number within 0.0..10.0",
    f"tune {ABOUT} --grid k=5 --grid search.k=10": "--grid names k twice",
    f"tune {ABOUT} --grid boost=1,99": "99 is no value of search.boost",
    "games check --games broken.jsonl --store store": "broken.jsonl line 1: ",
    "games draw nowhere.pdf --out x.jsonl": "nowhere.pdf cannot be read as pdfplumber:page",
    "games draw --out games.jsonl": "PDF is missing",
    f"replay {ABOUT} --measure nDCG@0": "the cutoff must be at least 1",
    "replay --store= --games games.jsonl": "--store is empty; name a folder",
    "games check --games games.jsonl --store nowhere": "run: quarry ingest",
    f"questions {ABOUT} --out b.jsonl --view opening": "--view needs --for-respondent",
    "replay --store store --games other.jsonl": "games is about a paragraph of",
    "replay --games games.jsonl --store .": " and no store; name a new folder",
    f"replay {ABOUT} --out store/run.md": "name it store/run.json",
    "play --store store --player=": "--player is empty; name the player",
    "compare empty": "empty holds no run; name a RUN.json, as",
    "games list --journal store": "store is no file; name the journal",
    "games list --journal nowhere": "name another --journal, or play: quarry play",
    f"replay {ABOUT} --set search.strategies=[cross-encoder]": "search.cross_encoder is empty; name the folder or hub "
    "id",
}
"""Command lines, and a part of the line that refuses each."""


def test_a_practice_server_takes_the_games_of_the_project(evaluate: Evaluate) -> None:
    Path("quarry.toml").write_text('games = "none.jsonl"')
    refusal = evaluate("serve --store store --port 0").refusal
    assert "none.jsonl cannot be read" in refusal


@pytest.mark.parametrize(("line", "says"), BAD.items(), ids=shorten)
def test_it_exits_with_2_and_one_line(line: str, says: str, evaluate: Evaluate) -> None:
    Path("broken.jsonl").write_text("{")
    elsewhere = {"hint": "h", "paragraph_id": "gamma:1:1", "split": "train"}
    write_games(Path("other.jsonl"), [elsewhere])
    Path("empty").mkdir()
    Path("compare.yaml").write_text("search: {k: 10}")
    before = sorted(Path().iterdir())

    assert says in evaluate(line).refusal
    assert sorted(Path().iterdir()) == before
