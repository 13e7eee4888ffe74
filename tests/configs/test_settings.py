"""Settings: defaults, presets, files, the environment, and one line for a bad value."""

import json
import os
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import yaml

from configs.errors import SettingsError
from configs.plain_yaml import MAX_FILE_CHARS
from configs.settings import DEFAULT_CONFIG, load
from tests.fakes import refusal, shorten
from tools.default_settings import format_defaults

DEFAULTS = yaml.safe_load(DEFAULT_CONFIG.read_text("utf-8"))


@pytest.fixture(autouse=True)
def _untouched_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, and no environment but what a test sets itself."""
    monkeypatch.chdir(tmp_path)
    for name in ("QUARRY_TOKEN", "QUARRY_MODELS"):
        monkeypatch.delenv(name, raising=False)


def written(text: str, name: str = "mine.yaml") -> Path:
    path = Path(name)
    path.write_text(text, "utf-8", "surrogateescape")
    return path


def refused(*arguments: Any) -> str:
    """The one short line with which these arguments of `load` are refused."""
    line = refusal(SettingsError, load, *arguments)
    assert len(line) <= 300
    return line


def refused_file(path: Path) -> str:
    """The line with which a file is refused, which names the file."""
    line = refused("default", path)
    assert str(path) in line
    return line


def test_default_yaml_is_written_from_the_settings_and_holds_them() -> None:
    text = DEFAULT_CONFIG.read_text("utf-8")
    assert text == format_defaults(), "run `make settings`"
    assert load(config=DEFAULT_CONFIG) == load()
    settings = json.loads(json.dumps(asdict(load())))
    assert settings == {"preset": "default", **DEFAULTS}


DOUBLED = "".join(f" a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 25))
TOO_LONG = f"more than {MAX_FILE_CHARS} characters; shorten it"


@pytest.mark.parametrize(
    ("text", "message"),
    {
        "serach: {k: 5}": "has no key 'serach'; it has embed, ingest, search, game",
        "search: {boots: 5}": "; did you mean boost?",
        "search: {5: 5}": "search has no key '5'; it has strategies, keywords",
        "[]": "it is []; it must hold keys and values",
        "search: 5": "section search is '5'; it must hold keys and values",
        "search: {k: [": ": not YAML: ",
        "embed: {models_dir: caf\udce9}": "mine.yaml is not UTF-8",
        "search: {pdf_k: -1}": "search.pdf_k is '-1'; it must be a whole number",
        "search: {k: 1.5}": "is '1.5'; it must be a whole number within 0..10000",
        "search: {boost: .nan}": "search.boost is '.nan'; it must be a number within 0.0..10.0",
        "search: {fusion: sum}": "search.fusion is 'sum'; it must be one of rrf, linear",
        "search: {strategies: dense}": "search.strategies is 'dense'; it must be a list of "
        "at least 1 text, such as [dense]",
        "search: {strategies: []}": "search.strategies is []; it must be a list of at "
        "least 1 text",
        "search: {pdf_k: 0, global_k: 0}": "pdf_k + global_k is 0 + 0; it must be at least 1",
        "search: {filter_confidence: 0.5}": "is 0.6; it must be at most filter_confidence",
        "search: {threshold: 0.2}": "is 0.35; it must be at most threshold",
        "ingest: {min_words: 9, max_words: 8}": "is 8; it must be at least min_words",
        # bombs
        f"search:\n a0: &a0 [x]\n{DOUBLED}": "search has no key 'a0'",
        "game: &a [*a]": "must hold keys and values",
        "game: " + "[" * 50_000: "too deeply nested",
        "#" * MAX_FILE_CHARS + "€" * MAX_FILE_CHARS: TOO_LONG,
        "a: €" * MAX_FILE_CHARS: TOO_LONG,
    }.items(),
    ids=shorten,
)
def test_a_bad_file_is_refused_in_one_line_that_names_it(
    text: str, message: str
) -> None:
    assert message in refused_file(written(text))


def test_a_config_that_is_a_pipe_or_a_folder_is_refused_as_such() -> None:
    os.mkfifo("pipe")
    for path in (Path("pipe"), Path(), Path("/dev/null")):
        says = f"--config {path} cannot be read: not a regular file; name a file"
        assert says in refused_file(path)
    assert "nowhere.yaml does not exist" in refused_file(Path("nowhere.yaml"))


def test_a_section_whose_keys_are_all_commented_out_changes_nothing() -> None:
    for empty in ("", "null", "~", "{}"):
        mine = written(f"search: {empty}\n  # k: 5\ngame: {{request_timeout_s: 5}}")
        settings = load(config=mine)
        assert settings.search == load().search
        assert settings.game.request_timeout_s == 5.0


def test_later_files_win_key_by_key_and_a_change_over_all() -> None:
    text = "search: {k: 31, rrf_k: 32, boost: 0.3}\nprovenance: {trials: 9}"
    preset = str(written(text, "preset.YAML"))
    mine = written("search: {rrf_k: 42}")

    alone = load(preset)
    assert alone.preset == preset
    search = alone.search
    assert (search.k, search.rrf_k, search.boost) == (31, 32, 0.3)
    assert search.pdf_k == DEFAULTS["search"]["pdf_k"]

    search = load(preset, mine, ["search.boost=0.5"]).search
    assert (search.k, search.rrf_k, search.boost) == (31, 42, 0.5)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("search.rule_weight", "--set 'search.rule_weight' is not SECTION.KEY=VALUE"),
        ("x" * 10_000, "--set 'xxxx"),
        ("search.rule_wieght=0", "; did you mean rule_weight?"),
        (
            "search.k=many",
            "search.k is 'many'; it must be a whole number within 0..10000 (--set search.k=many)",
        ),
        ("search.k=[", "--set search.k=[: the value is not YAML"),
        (f"search.k={'9' * 10_000}", "it must be a whole number within 0..10000"),
        ("search.k=[1, 2]", "search.k is ['1', '2']; it must be a whole number"),
        ("search.k=null", "search.k is 'null'; it must be a whole number"),
        ("ingest.timeout_s=", "ingest.timeout_s is ''; it must be a number"),
        ("search.boost=true", "'true'; it must be a number within 0.0..10.0"),
        ("search.cascade=2", "search.cascade is '2'; it must be true or false"),
        (
            "search.cross_encoder=[a]",
            "search.cross_encoder is ['a']; it must be a text",
        ),
        ("search.strategies=[[a]]", "is [['a']]; it must be a list of at least 1 text"),
        ("ingest.editions=a", "'a'; it must be a list of texts, such as [pdfplumber:"),
    ],
    ids=shorten,
)
def test_a_bad_change_is_refused_with_what_may_have_been_meant(
    change: str, says: str
) -> None:
    assert says in refused("default", None, [change])


@pytest.mark.parametrize(
    ("change", "value"),
    {
        "search.keywords=off": "off",
        "search.threshold=5e-1": 0.5,
        "search.cascade=off": False,
        "search.k='5'": 5,
        "search.strategies=[dense, keyword]": ("dense", "keyword"),
        "search.strategies=[&own my.Own, *own]": ("my.Own", "my.Own"),
        "game.writer=null": "",
        "game.writer=~": "",
        "embed.own=": "",
    }.items(),
)
def test_the_type_of_a_setting_says_what_a_value_means(
    change: str, value: object
) -> None:
    section, key = re.split("[.=]", change)[:2]
    assert asdict(load(changes=[change]))[section][key] == value


def test_an_unknown_preset_is_refused_with_the_nearest_name() -> None:
    assert refused("unfilterd").endswith("; did you mean unfiltered?")
    assert refused("zzz").endswith(", or a YAML file")
    assert refused("none.yaml").startswith("--preset none.yaml does not exist")


@pytest.mark.parametrize(
    ("preset", "changes"),
    {
        "default": "keywords=rule book_match=resolved pdf_k=15 global_k=5",
        "dual": "book_match=stem pdf_k=15 global_k=5 spill_over=never",
        "known-bots": "book_match=stem pdf_k=20 global_k=0 spill_over=no-book",
        "unfiltered": "book_match=off pdf_k=0 global_k=20",
        "filtered": "book_match=resolved pdf_k=20 global_k=0",
        "keyword": "strategies=[keyword] book_match=off global_k=20",
        "distance-merge": "merge=relevance boost=0 book_match=stem pdf_k=15",
        "vector-then-keyword": "keywords=fallback cascade=true book_match=off",
        "rrf": "keywords=fused fusion=rrf rrf_k=60 book_match=off",
    }.items(),
)
def test_a_preset_is_what_the_contract_says(preset: str, changes: str) -> None:
    loaded = load(preset)
    settings = [f"search.{change}" for change in changes.split()]

    assert loaded == load(preset, changes=settings)
    search = loaded.search
    assert (search.k or search.pdf_k + search.global_k) == 20


def test_the_environment_wins_over_files(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = written("embed: {models_dir: /file}")
    assert load(config=mine).embed.models_dir == "/file"
    monkeypatch.setenv("QUARRY_MODELS", "/environment")
    assert load(config=mine).embed.models_dir == "/environment"


def test_a_file_may_merge_values_as_those_of_the_presets_do() -> None:
    mine = written("search: {<<: {pdf_k: 3, global_k: 5}, global_k: 4}")
    search = load(config=mine).search
    assert (search.pdf_k, search.global_k) == (3, 4)


def test_an_empty_list_may_be_set() -> None:
    for empty in ("[]", "", "()", "null", "~", "{}", " [ ] "):
        assert load(changes=[f"ingest.editions={empty}"]).ingest.editions == ()
        line = refused("default", None, [f"search.strategies={empty}"])
        assert "it must be a list of at least 1 text" in line, empty
