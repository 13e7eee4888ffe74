"""`python -m player search`: its JSON, its exit codes, and one line for bad input."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ingest.embed.vectors import embed_reading
from ingest.paragraph import Reading
from ingest.store import DocumentUpdate, create_store
from player.command import main
from player.search.types import NOTHING_FOUND
from tests.player.fakes import WordsEmbedder, course, document


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the two books of `course`; its embedder counts words and bears the name of a calibrated one."""
    folder = tmp_path_factory.mktemp("search") / "store"
    made = create_store(str(folder))
    embedder = WordsEmbedder()
    for doc_id in ("first", "second"):
        paragraphs = tuple(item for item in course() if item.doc_id == doc_id)
        book = replace(
            document(doc_id, (f"The {doc_id} book", "title")),
            n_paragraphs=len(paragraphs),
        )
        reading = Reading(book, paragraphs, ())
        made.change(
            [DocumentUpdate(reading, embed_reading(reading, embedder), "minilm")]
        )
    return folder


@pytest.fixture(autouse=True)
def _embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """The store's embedder is the one it was made with."""
    monkeypatch.setattr("ingest.embed.models.load_embedder", lambda *_: WordsEmbedder())
    monkeypatch.setattr("ingest.embed.models.BUILT_IN", ())


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(store: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command over the store; returns exit code, standard output and standard error."""

    def run_it(*arguments: str, at: str | None = None) -> tuple[int, str, str]:
        try:
            code = main(["search", "--store", at or str(store), *arguments])
        except SystemExit as stop:
            code = int(stop.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run_it


HINT = "grammar token lookahead terminal"


def test_json_has_the_shape_of_the_contract(run: Run) -> None:
    code, out, err = run("--hint", HINT, "--book", "first", "--json")
    shown = json.loads(out)
    assert (code, err) == (0, "")
    assert set(shown) == {
        "query",
        "relevant",
        "message",
        "book",
        "boost",
        "answered_by",
        "threshold",
        "calibrated",
        "hits",
        "failures",
        "cached",
        "latency_ms",
    }
    assert shown["query"] == {"hint": HINT, "book_name": "first"}
    assert shown["book"] == {"document": "first", "confidence": 1.0, "tier": "filter"}
    assert (shown["relevant"], shown["message"], shown["answered_by"]) == (
        True,
        "",
        "filter",
    )
    assert (shown["failures"], shown["cached"]) == ([], False)
    assert set(shown["latency_ms"]) == {"embed", "search"}
    assert all(
        isinstance(value, float) and value >= 0.0
        for value in shown["latency_ms"].values()
    )
    for hit in shown["hits"]:
        assert {key: type(value) for key, value in hit.items()} == {
            "paragraph_id": str,
            "document": str,
            "page": int,
            "heading": str,
            "opening_sentence": str,
            "text": str,
            "relevance": float,
            "slot": str,
            "strategy": str,
            "rank": int,
            "score": float,
            "why": str,
            "relevant": bool,
            "same_as": list,
        }
        assert 0.0 <= hit["relevance"] <= 1.0
        assert hit["slot"] in {"book", "global"}


def test_the_hits_are_the_paragraphs_of_the_store(run: Run) -> None:
    _, out, _ = run("--hint", HINT, "--json")
    hits = json.loads(out)["hits"]
    by_id = {item.paragraph_id: item for item in course()}
    assert {hit["paragraph_id"] for hit in hits} == set(by_id)
    for hit in hits:
        item = by_id[hit["paragraph_id"]]
        assert (hit["document"], hit["page"], hit["heading"]) == (
            item.doc_id,
            item.page,
            item.heading,
        )
        assert (hit["text"], hit["opening_sentence"]) == (
            item.text,
            item.opening_sentence,
        )
    assert (
        hits[0]["opening_sentence"]
        == "Parsing begins with grammar token lookahead terminal."
    )


@pytest.mark.parametrize(
    "arguments", [(), ("--book", ""), ("--preset", "unfiltered", "--book", "first")]
)
def test_without_a_book_the_json_says_so(run: Run, arguments: tuple[str, ...]) -> None:
    _, out, _ = run("--hint", HINT, *arguments, "--json")
    shown = json.loads(out)
    assert shown["book"] == {"document": None, "confidence": 0.0, "tier": "none"}
    assert shown["answered_by"] == "original"
    assert {hit["slot"] for hit in shown["hits"]} == {"global"}


def test_k_hits_are_shown(run: Run) -> None:
    code, out, _ = run("--hint", HINT, "--k", "3", "--json")
    assert (code, len(json.loads(out)["hits"])) == (0, 3)


def test_nothing_found_is_said_in_a_plain_sentence_and_is_no_error(run: Run) -> None:
    code, out, err = run("--hint", "unheard", "--preset", "keyword", "--json")
    shown = json.loads(out)
    assert (code, err) == (0, "")
    assert (shown["hits"], shown["relevant"], shown["message"]) == (
        [],
        False,
        NOTHING_FOUND,
    )


def test_a_table_is_shown_without_json(run: Run) -> None:
    code, out, err = run("--hint", HINT, "--book", "first")
    assert (code, err) == (0, "")
    assert "book: first (filter, confidence 1.00)" in out
    assert "Parsing begins" in out
    assert "first p6" in out


def test_a_name_that_means_no_book_is_said_to_mean_none(run: Run) -> None:
    for name in ("the lecture", "volcanoes [hot]"):
        out = " ".join(run("--hint", HINT, "--book", name)[1].split())
        assert (
            f"book: none was resolved from {name!r}, the whole course is searched"
            in out
        )
        assert "confidence 0.00" not in out
    assert "book:" not in run("--hint", HINT)[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--hint", ""), "hint must hold at least one word"),
        (("--hint", "  "), "hint must hold at least one word"),
        (("--hint", HINT, "--k", "0"), "k must be at least 1, got 0"),
        (("--hint", HINT, "--k", "-3"), "k must be at least 1, got -3"),
        (("--hint", HINT, "--k", "many"), "--k"),
        (("--hint", HINT, "--preset", "magic"), "preset must be one of default"),
        (
            ("--hint", HINT, "--config", "/nowhere/at/all.yaml"),
            "--config must name a YAML file",
        ),
        (("--hint", HINT, "--collection", "other"), "--collection must be one that"),
        (("--hint", HINT, "--colour"), "--colour"),
        ((), "--hint"),
    ],
)
@pytest.mark.parametrize("as_json", [True, False])
def test_bad_input_ends_with_2_and_one_line(
    run: Run, arguments: tuple[str, ...], said: str, as_json: bool
) -> None:
    code, out, err = run(*arguments, *(["--json"] if as_json else []))
    assert (code, out) == (2, "")
    assert said in err
    assert err.startswith("player")
    assert err.count("\n") == 1


@pytest.mark.parametrize("where", ["missing", "file"])
def test_a_store_that_is_not_there_ends_with_2_and_one_line(
    run: Run, tmp_path: Path, where: str
) -> None:
    (tmp_path / "file").write_text("no store", encoding="utf-8")
    code, out, err = run("--hint", HINT, "--json", at=str(tmp_path / where))
    assert (code, out) == (2, "")
    assert "--store must be a folder made by ingest" in err
    assert err.count("\n") == 1
    assert not (tmp_path / "missing").exists()


def failing(*_: object, **__: object) -> Any:
    raise RuntimeError("the model\nis gone")


def test_a_strategy_that_fails_beside_another_ends_with_1_and_is_named(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.search.strategies.dense.Dense.score", failing)
    code, out, err = run("--hint", HINT, "--preset", "rrf", "--json")
    shown = json.loads(out)
    reason = "strategy dense failed: RuntimeError: the model is gone"
    assert (code, err) == (1, f"player search: {reason}\n")
    assert shown["failures"] == [
        {"strategy": "dense", "error": "RuntimeError: the model is gone"}
    ]
    assert shown["hits"][0]["opening_sentence"].startswith("Parsing begins")


def test_all_strategies_failing_ends_with_2_and_one_line(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.search.strategies.dense.Dense.score", failing)
    monkeypatch.setattr("player.search.strategies.keyword.Keyword.score", failing)
    code, out, err = run("--hint", HINT, "--preset", "unfiltered", "--json")
    assert (code, out) == (2, "")
    assert err.startswith(
        "player search: strategy dense failed: RuntimeError: the model is gone; strategy keyword"
    )


class TestNothingRelevant:
    """A hint about something else: said in words, with exit code 0, the nearest hits marked."""

    @pytest.fixture
    def strict(self, tmp_path: Path) -> str:
        config = tmp_path / "strict.yaml"
        config.write_text(
            "search: {threshold: 0.9999, lowered_threshold: 0.9999}\n", encoding="utf-8"
        )
        return str(config)

    def test_it_is_said_in_plain_words_and_the_nearest_are_marked(
        self, run: Run, strict: str
    ) -> None:
        plain = run("--hint", HINT, "--config", strict)[1]
        assert (
            plain
            == "Nothing relevant was found for this hint. --all shows the nearest.\n"
        )
        code, out, _ = run("--hint", HINT, "--config", strict, "--all")
        assert code == 0
        assert NOTHING_FOUND in out
        assert "* below the threshold of relevance, 0.9999" in out

    def test_json_says_of_every_hit_on_which_side_it_is(
        self, run: Run, strict: str
    ) -> None:
        code, out, _ = run("--hint", HINT, "--config", strict, "--json")
        shown = json.loads(out)
        assert (code, shown["relevant"], shown["message"]) == (0, False, NOTHING_FOUND)
        assert shown["hits"]
        assert not any(hit["relevant"] for hit in shown["hits"])

    def test_relevant_only_holds_nothing_below_the_threshold(
        self, run: Run, strict: str
    ) -> None:
        code, out, _ = run(
            "--hint", HINT, "--config", strict, "--relevant-only", "--json"
        )
        assert (code, json.loads(out)["hits"]) == (0, [])


@pytest.mark.parametrize("mode", ["rule", "fused", "fallback", "off"])
def test_the_mode_of_keywords_is_one_flag_away(run: Run, mode: str) -> None:
    code, out, _ = run("--hint", HINT, "--keywords", mode, "--json")
    assert code == 0
    strategies = {hit["strategy"] for hit in json.loads(out)["hits"]}
    assert strategies == ({"fused"} if mode == "fused" else {"dense"})
