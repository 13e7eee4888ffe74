"""`python -m player search`: its JSON, its exit codes, and one line for bad input."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from player.search.results import NOTHING_FOUND
from quarry.errors import EmbedderError
from tests.evaluate.fakes import Output, make_store, run_words
from tests.fakes import each
from tests.player.fakes import WordsEmbedder, course

HINT = "grammar token lookahead terminal"
BEST = "Parsing begins with grammar token lookahead terminal."
Run = Callable[..., Output]
"""Runs the command over the store."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the two books of `course`; its embedder counts words and bears the name of a calibrated one."""
    folder = tmp_path_factory.mktemp("search") / "store"
    make_store(folder, course(), WordsEmbedder())
    return folder


@pytest.fixture
def run(
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    monkeypatch.setattr("quarry.embed.models.load_embedder", lambda *_: WordsEmbedder())

    return lambda *arguments: run_words(["search", "--store", str(store), *arguments])


def shown(
    run: Run,
    *arguments: str,
    code: int = 0,
) -> Any:
    """The one document of --json."""
    result = run("--hint", HINT, *arguments, "--json")
    assert result.code == code
    return json.loads(result.out)


def test_json_has_the_shape_of_the_contract(run: Run) -> None:
    result = shown(run, "--book", "first")
    hits = result.pop("hits")
    latency_ms = result.pop("latency_ms")
    assert set(latency_ms) == {"embed", "search"}
    assert min(latency_ms.values()) >= 0.0
    for name in ("boost", "threshold"):
        assert isinstance(result.pop(name), float)
    assert result == {
        "query": {"hint": HINT, "book_name": "first"},
        "relevant": True,
        "message": "",
        "book": {"document": "first", "confidence": 1.0, "tier": "filter"},
        "answered_by": "filter",
        "calibrated": True,
        "failures": [],
        "cached": False,
    }

    best, *_ = hits
    assert best.pop("text").startswith(BEST)
    assert best == {
        "paragraph_id": "first:6:1",
        "document": "first",
        "page": 6,
        "heading": "Section 6",
        "opening_sentence": BEST,
        "relevance": pytest.approx(1.0, abs=0.1),
        "slot": "book",
        "strategy": "dense",
        "rank": 1,
        "score": pytest.approx(0.5, abs=0.4),
        "why": "rank 1 by dense, in the resolved book",
        "relevant": True,
        "same_as": [],
    }
    assert set(each(hits, "slot")) == {"book", "global"}
    assert set(each(hits, "document")) == {"first", "second"}


def test_without_a_book_the_json_says_so(run: Run) -> None:
    for arguments in ("", "--preset unfiltered --book first"):
        result = shown(run, *arguments.split())
        none = {"document": None, "confidence": 0.0, "tier": "none"}
        assert result["book"] == none, arguments
        assert result["answered_by"] == "original", arguments
        assert set(each(result["hits"], "slot")) == {"global"}, arguments


def test_a_table_is_shown_without_json(run: Run) -> None:
    code, out, err = run("--hint", HINT, "--book", "first")
    assert (code, err) == (0, "")
    for text in ("book: first (filter, confidence 1.00)", "Parsing begins", "first p6"):
        assert text in out


def test_a_book_without_a_relevant_paragraph_is_shown_first_with_a_line(
    run: Run,
) -> None:
    hint = "sorting begins with merge quick heap pivot"
    # one paragraph of the second book reaches .99, and none of the first
    threshold = ("--set", "search.threshold=0.985")
    options = ("--hint", hint, "--book", "first", *threshold)
    out = " ".join(run(*options).out.split())
    assert out.index("first p6") < out.index("second p1")
    assert "The named book, first, holds nothing relevant for this hint; other" in out
    assert "first p" not in run(*options, "--relevant-only").out


def test_a_name_that_means_no_book_is_said_to_mean_none(run: Run) -> None:
    for name in ("the lecture", "volcanoes [hot]"):
        _, out, _ = run("--hint", HINT, "--book", name)
        out = " ".join(out.split())
        assert f"book: none was resolved from {name!r}, the whole course is" in out
        assert "confidence 0.00" not in out, name
    assert "book:" not in run("--hint", HINT).out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--hint", HINT, "--k", "0"], "k is 0; it must be at least 1"),
        (["--hint", HINT, "--collection", "other"], "holds no collection 'other'"),
        (["--hint", HINT, "--hint", "again"], "--hint specified multiple times"),
        ([], "--hint"),
        (["--hint", "  "], "the hint is empty"),
    ],
)
def test_bad_input_ends_with_2_and_one_line(
    options: Any, message: str, run: Run
) -> None:
    refusal = run(*options, "--json").refusal
    assert refusal.startswith("quarry search: ")
    assert message in refusal


def test_an_embedder_that_cannot_be_loaded_ends_with_1_and_leaves_keywords(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = "the model is not installed; run make minilm"
    lacks = Mock(side_effect=EmbedderError(error))
    monkeypatch.setattr("quarry.embed.models.load_embedder", lacks)
    options = ("--book", "first", "--set", "search.cache_size=0")
    result = shown(run, *options, code=1)
    assert result["failures"] == [{"strategy": "dense", "error": error}]
    assert result["hits"][0]["opening_sentence"] == BEST
    assert {*each(result["hits"], "strategy")} == {"keyword"}
    assert result["book"]["tier"] == "filter"
    err = run("--hint", HINT, *options).err
    assert err == f"quarry search: search step dense failed: {error}\n"


def test_all_strategies_failing_ends_with_2_and_one_line(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = Mock(side_effect=RuntimeError("the model\nis gone"))
    for strategy in ("dense.Dense", "keywords.Keyword"):
        monkeypatch.setattr(f"player.search.strategies.{strategy}.score", failing)
    err = run("--hint", HINT, "--preset", "unfiltered").refusal
    error = (
        "search step dense failed: RuntimeError: the model is gone; search step keyword"
    )
    assert err.startswith(f"quarry search: {error}")


def test_nothing_relevant_is_said_and_the_nearest_are_marked(run: Run) -> None:
    strict = ["--set", "search.threshold=1", "--set", "search.lowered_threshold=1"]
    code, out, _ = run("--hint", HINT, *strict)
    assert code == 0
    assert out == f"{NOTHING_FOUND} --all shows the nearest.\n"
    out = run("--hint", HINT, *strict, "--all").out
    assert NOTHING_FOUND in out
    assert "* below the threshold of relevance, 1" in out

    result = shown(run, "--k", "3", *strict)
    assert each(result["hits"], "relevant") == [False] * 3
    assert result["relevant"] is False
    assert result["message"] == NOTHING_FOUND
    assert shown(run, *strict, "--relevant-only")["hits"] == []


def test_the_mode_of_keywords_is_one_flag_away(run: Run) -> None:
    for mode in ("rule", "fused", "fallback", "off"):
        hits = shown(run, "--keywords", mode)["hits"]
        strategy = "fused" if mode == "fused" else "dense"
        assert set(each(hits, "strategy")) == {strategy}, mode
