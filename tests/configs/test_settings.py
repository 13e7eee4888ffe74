from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest
import yaml

from configs import settings as module
from configs.settings import DEFAULT_CONFIG, SettingsError, as_dict, fields, load

SECTIONS = {
    "embed": module.EmbedSettings,
    "ingest": module.IngestSettings,
    "search": module.SearchSettings,
    "game": module.GameSettings,
}


@pytest.fixture(autouse=True)
def _untouched_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No environment but what a test sets itself."""
    monkeypatch.delenv("QUARRY_TOKEN", raising=False)
    monkeypatch.delenv("QUARRY_MODELS", raising=False)
    monkeypatch.delenv("QUARRY_ACCURACY", raising=False)


def written(tmp_path: Path, text: str, name: str = "mine.yaml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_every_value_is_that_of_default_yaml() -> None:
    tree = yaml.safe_load(DEFAULT_CONFIG.read_text(encoding="utf-8"))
    tree["search"]["strategies"] = tuple(tree["search"]["strategies"])
    tree["ingest"]["editions"] = tuple(tree["ingest"]["editions"])
    assert as_dict(load()) == {"preset": "default", **tree}


@pytest.mark.parametrize(
    ("text", "name", "limits"),
    [
        ("search: {pdf_k: -1}", "search.pdf_k", "0..10000"),
        (
            "search: {filter_confidence: 0.5, boost_confidence: 0.6}",
            "search.boost_confidence",
            "0.0..0.5",
        ),
        ("ingest: {min_words: 30, max_words: 29}", "ingest.max_words", "30..100000"),
    ],
)
def test_range_that_hangs_on_another_key_is_enforced(
    tmp_path: Path, text: str, name: str, limits: str
) -> None:
    with pytest.raises(
        SettingsError, match=rf"^{name} must be within {re.escape(limits)}, got"
    ):
        load(config=written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "serach: {k: 5}",
            "section must be one of embed, ingest, search, game, got 'serach'",
        ),
        (
            "search: {top_k: 5}",
            "search has no key 'top_k'; it has strategies, keywords",
        ),
        ("search: {boots: 5}", "cross_encoder; did you mean boost?"),
        ("search: {5: 5}", "search has no key 5; it has strategies, keywords"),
        ("[]", "must hold a mapping of sections, got list"),
        ("search: 5", "section search must hold keys and values, got int"),
        ("search: {k: [", "must be YAML"),
        ("search: {k: '5'}", "search.k must be of type int, got '5'"),
        ("search: {boost: .nan}", "search.boost must be within 0.0..10.0, got nan"),
        (
            "search: {fusion: sum}",
            "search.fusion must be one of rrf, linear, got 'sum'",
        ),
        (
            "search: {book_match: false}",
            "search.book_match must be one of off, stem, resolved, got False",
        ),
        (
            "search: {strategies: dense}",
            "search.strategies must be a list of names, got 'dense'",
        ),
        (
            "search: {sentence_weight: 0.9}",
            "search.sentence_weight + sentence_mean_weight must be at most 1, got 0.9 + 0.2",
        ),
        ("search: {rewrite: feedback}", "search has no key 'rewrite'"),
        (
            "search: {strategies: []}",
            "search.strategies must name at least one strategy, got none",
        ),
        ("embed: {models_dir: 5}", "embed.models_dir must be of type str, got 5"),
    ],
)
def test_bad_file_is_refused_in_one_line_that_names_it(
    tmp_path: Path, text: str, message: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        load(config=path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.yaml"
    path.write_bytes("embed: {models_dir: café}".encode("latin-1"))
    with pytest.raises(SettingsError, match=f"{path}: must be a readable UTF-8 file"):
        load(config=path)


def test_later_files_win_key_by_key_and_a_change_over_all(tmp_path: Path) -> None:
    preset = written(
        tmp_path,
        "search: {k: 31, rrf_k: 32, boost: 0.3}\nprovenance: {trials: 9}",
        "preset.yaml",
    )
    mine = written(tmp_path, "search: {rrf_k: 42}")
    default = yaml.safe_load(DEFAULT_CONFIG.read_text())["search"]
    alone, laid_over = load(str(preset)), load(str(preset), mine, ["search.boost=0.5"])
    assert (alone.preset, alone.search.k, alone.search.rrf_k, alone.search.boost) == (
        str(preset),
        31,
        32,
        0.3,
    )
    assert (laid_over.search.k, laid_over.search.rrf_k, laid_over.search.boost) == (
        31,
        42,
        0.5,
    )
    assert alone.search.pdf_k == default["pdf_k"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            "search.rule_weight",
            "--set must be SECTION.KEY=VALUE, got 'search.rule_weight'; e.g. search.rule_weight=0",
        ),
        ("search.rule_wieght=0", "; did you mean rule_weight?"),
        (
            "search.k=many",
            "search.k must be of type int, got 'many' (--set search.k=many)",
        ),
        ("search.k=[", "--set search.k=[: the value must be YAML"),
        (
            f"search.k=0x{'f' * 10_000}",
            "an integer must have at most 100 digits, got 10002",
        ),
        (
            f"search.k={'9' * 10_000}",
            "an integer must have at most 100 digits, got 10000",
        ),
    ],
)
def test_a_bad_change_is_refused_with_what_may_have_been_meant(
    change: str, says: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        load(changes=[change])
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("preset", "says"),
    [
        ("unfilterd", r"got 'unfilterd'; did you mean unfiltered\?"),
        ("zzz", r"got 'zzz'$"),
        ("none.yaml", r"--preset must name a YAML file, got none\.yaml"),
    ],
)
def test_an_unknown_preset_is_refused_with_the_nearest_name(
    preset: str, says: str
) -> None:
    with pytest.raises(SettingsError, match=says):
        load(preset)


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        (
            "default",
            {
                "strategies": ("dense",),
                "keywords": "rule",
                "book_match": "resolved",
                "pdf_k": 15,
                "global_k": 5,
                "cascade": True,
            },
        ),
        (
            "dual",
            {"book_match": "stem", "pdf_k": 15, "global_k": 5, "spill_over": "never"},
        ),
        (
            "known-bots",
            {"book_match": "stem", "pdf_k": 20, "global_k": 0, "spill_over": "no-book"},
        ),
        ("unfiltered", {"book_match": "off", "pdf_k": 0, "global_k": 20}),
        ("filtered", {"book_match": "resolved", "pdf_k": 20, "global_k": 0}),
        ("keyword", {"strategies": ("keyword",), "book_match": "off", "global_k": 20}),
        (
            "distance-merge",
            {
                "merge": "relevance",
                "boost": 0.0,
                "book_match": "stem",
                "pdf_k": 15,
                "global_k": 5,
            },
        ),
        (
            "vector-then-keyword",
            {
                "keywords": "fallback",
                "cascade": True,
                "threshold": 0.7,
                "book_match": "off",
            },
        ),
        (
            "rrf",
            {"keywords": "fused", "fusion": "rrf", "rrf_k": 60, "book_match": "off"},
        ),
    ],
)
def test_preset_is_what_the_contract_says(
    preset: str, expected: dict[str, object]
) -> None:
    loaded = load(preset)
    assert loaded.preset == preset
    search = dataclasses.asdict(loaded.search)
    assert {key: search[key] for key in expected} == expected
    assert search["k"] or search["pdf_k"] + search["global_k"] == 20


def test_environment_wins_over_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = written(tmp_path, "embed: {models_dir: /from/file}")
    assert load(config=mine).embed.models_dir == "/from/file"
    monkeypatch.setenv("QUARRY_MODELS", "/from/environment")
    assert load(config=mine).embed.models_dir == "/from/environment"


def test_token_is_read_and_shown_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load().token == ""
    monkeypatch.setenv("QUARRY_TOKEN", "s3cret")
    loaded = load()
    assert loaded.token == "s3cret"
    assert "s3cret" not in repr(loaded)
    assert "s3cret" not in str(loaded)
    assert "s3cret" not in json.dumps(as_dict(loaded))


@pytest.mark.parametrize(
    "text",
    [
        "game: &a [*a]",
        "a: &a [" + "x" * 100_000 + "]\nb: &b [*a, *a, *a]\ngame: [*b, *b, *b]",
        "a0: &a0 [x]\n"
        + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 25))
        + "search: {k: *a24}",
        "game: " + "[" * 50_000,
        "x: " + "y" * 300_000,
        "x" * 10_000_000,
    ],
)
def test_a_config_that_is_a_bomb_is_refused_in_one_short_line(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "bomb.yaml"
    path.write_text(text)
    with pytest.raises(SettingsError, match="must be") as caught:
        load(config=path)
    assert len(str(caught.value)) < 300


def test_every_setting_is_explained_and_every_number_has_its_range_there() -> None:
    text = DEFAULT_CONFIG.read_text(encoding="utf-8")
    for section, kind in SECTIONS.items():
        for key, field in fields(kind).items():
            comment = re.search(
                rf"^  {key}: .*?# (.+)$",
                text.partition(f"\n{section}:\n")[2],
                re.MULTILINE,
            )
            assert comment, f"{section}.{key}"
            bounds = field.json_schema_extra
            assert bool(bounds) == (kind.__annotations__[key] in ("int", "float")), key
            if bounds:
                low, high = (
                    end if isinstance(end, str) else f"{end:g}"
                    for end in bounds.values()
                )
                assert f"{low}..{high}" in comment[1], f"{section}.{key}"


def test_accuracy_of_the_environment_counts_where_it_is_left_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUARRY_ACCURACY", "fast")
    assert load().search.accuracy == "fast"
    assert (
        load(config=written(tmp_path, "search: {accuracy: accurate}")).search.accuracy
        == "accurate"
    )
    assert load("dual").search.accuracy == "plain"
    monkeypatch.setenv("QUARRY_ACCURACY", "better")
    with pytest.raises(
        SettingsError,
        match="accuracy must be one of auto, accurate, fast, plain, got 'better'",
    ):
        load()


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("search.keywords=off", "off"),
        ("search.threshold=5e-1", 0.5),
        ("search.accuracy=fast", "fast"),
    ],
)
def test_set_reads_words_and_numbers_as_they_are_meant(
    change: str, value: object
) -> None:
    assert (
        getattr(
            load(changes=[change]).search, change.partition(".")[2].partition("=")[0]
        )
        == value
    )
