"""Settings of every part, frozen; the only reader of YAML and of the environment."""

from __future__ import annotations

import dataclasses
import os
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from configs.places import fitted
from configs.plain_yaml import read_plain_yaml

CONFIG_DIR = Path(__file__).resolve().parent
DEFAULT_CONFIG = CONFIG_DIR / "default.yaml"
TUNED_CONFIG = CONFIG_DIR / "tuned.yaml"
PRESETS_CONFIG = CONFIG_DIR / "presets.yaml"

BookMatch = Literal["off", "stem", "resolved"]
Fusion = Literal["first", "rrf", "linear"]
Accuracy = Literal["auto", "accurate", "fast", "plain"]
KeywordMode = Literal["rule", "fused", "fallback", "off"]
Merge = Literal["slots", "relevance"]
SpillOver = Literal["never", "no-book", "always"]

T = TypeVar("T")


class SettingsError(ValueError):
    """A settings file or an environment variable holds what it must not; the text is one line with the remedy."""


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """How texts become vectors; see configs/default.yaml for units and ranges."""

    batch_size: int
    max_tokens: int
    threads: int
    models_dir: str


@dataclass(frozen=True, slots=True)
class IngestSettings:
    """How files become paragraphs; see configs/default.yaml for units and ranges."""

    workers: int
    timeout_s: float
    min_words: int
    max_words: int
    reader: str


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """What one search does; see configs/default.yaml for units and ranges."""

    strategies: tuple[str, ...]
    keywords: KeywordMode
    fusion: Fusion
    rrf_k: int
    sentence_weight: float
    sentence_mean_weight: float
    rule_weight: float
    k: int
    pdf_k: int
    global_k: int
    global_pool: int
    spill_over: SpillOver
    merge: Merge
    book_match: BookMatch
    filter_confidence: float
    boost_confidence: float
    boost: float
    threshold: float
    lowered_threshold: float
    cascade: bool
    rewrite: str
    quality_weight: float
    recency_weight: float
    cross_encoder: str
    rerank_pool: int
    deadline_s: float
    cache_size: int
    cache_ttl_s: float
    exact_up_to: int
    accuracy: Accuracy
    hints: str

    @property
    def lacks_cross_encoder(self) -> bool:
        """Whether hits are to be re-ranked by a model that was not given."""
        return "reranked" in self.strategies and not self.cross_encoder


@dataclass(frozen=True, slots=True)
class GameSettings:
    """How a game is played; see configs/default.yaml for units and ranges."""

    candidates: int
    prior_temperature: float
    prior_floor: float
    prior_filter_share: float
    prior_boost_share: float
    error_scale: float
    careless_share: float
    useless_share: float
    opening_share: float
    passages_share: float
    name_share: float
    design_opening_share: float
    questions_pool: int
    request_timeout_s: float
    game_timeout_s: float
    phase_s: float


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set, with the preset it was made for."""

    preset: str
    embed: EmbedSettings
    ingest: IngestSettings
    search: SearchSettings
    game: GameSettings
    token: str = field(default="", repr=False)


def preset_names() -> tuple[str, ...]:
    """The names that `load(preset=...)` takes, `default` first."""
    return ("default", *_presets())


def _presets() -> Mapping[str, Any]:
    """By name the values that a preset lays over the default: the project's own, and those of installed packages."""
    from configs.table import Table

    return Table("quarry.presets", _read_yaml(PRESETS_CONFIG))


def load(preset: str = "default", config: Path | None = None) -> Settings:
    """The settings of a preset, with the user's file laid over them.

    Order, later wins: default.yaml, tuned.yaml if it is there (preset `default` only), the preset, `config`, the
    environment (QUARRY_TOKEN, QUARRY_MODELS, QUARRY_ACCURACY).

    Raises:
        SettingsError: unknown preset or key, a value of the wrong type or out of range, unreadable YAML.
    """
    tree = _read_yaml(DEFAULT_CONFIG)
    where = str(DEFAULT_CONFIG)
    if preset == "default":
        tuned = fitted(TUNED_CONFIG)
        if tuned.exists():
            tree = _overlay(tree, _read_yaml(tuned), tuned)
    else:
        presets = _presets()
        if preset not in presets:
            raise SettingsError(f"preset must be one of {', '.join(preset_names())}, got {preset!r}")
        tree = _overlay(tree, presets[preset], PRESETS_CONFIG)
        where = f"{PRESETS_CONFIG}, preset {preset}"
    if config is not None:
        if not config.is_file():
            raise SettingsError(f"--config must name a YAML file, got {config}: no such file; copy {DEFAULT_CONFIG}")
        tree = _overlay(tree, _read_yaml(config), config)
        where = str(config)
    if models_dir := os.environ.get("QUARRY_MODELS"):
        tree["embed"]["models_dir"] = models_dir
    if (accuracy := os.environ.get("QUARRY_ACCURACY")) and tree["search"]["accuracy"] == "auto":
        tree["search"]["accuracy"] = accuracy
    settings = Settings(
        preset=preset,
        embed=_build(EmbedSettings, tree.get("embed"), "embed", where),
        ingest=_build(IngestSettings, tree.get("ingest"), "ingest", where),
        search=_build(SearchSettings, tree.get("search"), "search", where),
        game=_build(GameSettings, tree.get("game"), "game", where),
        token=os.environ.get("QUARRY_TOKEN", ""),
    )
    _check(settings, where)
    return settings


def as_dict(settings: Settings) -> dict[str, Any]:
    """The settings as plain values for a run's record, without the token."""
    tree = dataclasses.asdict(settings)
    del tree["token"]
    return tree


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        tree = read_plain_yaml(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: must be a readable UTF-8 file: {error}") from error
    except ValueError as error:
        raise SettingsError(f"{path}: must be {error}") from error
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise SettingsError(f"{path}: must hold a mapping of sections, got {type(tree).__name__}")
    return tree


def _overlay(base: dict[str, Any], over: Any, path: Path) -> dict[str, Any]:
    """`base` with the sections of `over` laid on it; `provenance` is for readers and is left out."""
    if not isinstance(over, dict):
        raise SettingsError(f"{path}: must hold a mapping of sections, got {type(over).__name__}")
    merged = {section: dict(values) for section, values in base.items()}
    for section, values in over.items():
        if section == "provenance":
            continue
        if section not in merged:
            raise SettingsError(f"{path}: section must be one of {', '.join(merged)}, got {section!r}")
        if not isinstance(values, dict):
            raise SettingsError(f"{path}: section {section} must hold keys and values, got {type(values).__name__}")
        for key, value in values.items():
            if key not in merged[section]:
                raise SettingsError(f"{path}: {section} has no key {key!r}; it has {', '.join(merged[section])}")
            merged[section][key] = value
    return merged


def _build(kind: type[T], values: Any, section: str, where: str) -> T:
    """`values` as an instance of the settings dataclass `kind`, each value checked against its annotation."""
    if not isinstance(values, dict):
        raise SettingsError(f"{where}: section {section} must be there")
    hints = typing.get_type_hints(kind)
    missing = hints.keys() - values.keys()
    if missing:
        raise SettingsError(f"{where}: {section}.{sorted(missing)[0]} must be set")
    return kind(**{key: _typed(values[key], hint, f"{section}.{key}", where) for key, hint in hints.items()})


def _typed(value: Any, hint: Any, name: str, where: str) -> Any:
    origin = typing.get_origin(hint)
    if origin is Literal:
        if value not in typing.get_args(hint):
            raise SettingsError(f"{name} must be one of {', '.join(typing.get_args(hint))}, got {value!r} ({where})")
        return value
    if origin is tuple:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise SettingsError(f"{name} must be a list of names, got {value!r} ({where})")
        return tuple(value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(hint, types.UnionType) or not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise SettingsError(f"{name} must be of type {hint.__name__}, got {value!r} ({where})")
    return value


def typed_search_value(key: str, value: Any, where: str) -> Any:
    """A value of one key of the search's settings, as `load` takes it; its bounds are not looked at.

    Raises:
        SettingsError: it is of another type.
    """
    return _typed(value, typing.get_type_hints(SearchSettings)[key], f"search.{key}", where)


def _check(settings: Settings, where: str) -> None:
    search, game, ingest, embed = settings.search, settings.game, settings.ingest, settings.embed
    rules = [
        ("search.k", search.k, 1, 10_000),
        ("search.pdf_k", search.pdf_k, 0, search.k),
        ("search.global_k", search.global_k, 0, search.k),
        ("search.global_pool", search.global_pool, search.global_k, 100_000),
        ("search.rrf_k", search.rrf_k, 1, 10_000),
        ("search.filter_confidence", search.filter_confidence, 0.0, 1.0),
        ("search.boost_confidence", search.boost_confidence, 0.0, search.filter_confidence),
        ("search.boost", search.boost, 0.0, 10.0),
        ("search.sentence_weight", search.sentence_weight, 0.0, 1.0),
        ("search.sentence_mean_weight", search.sentence_mean_weight, 0.0, 1.0 - search.sentence_weight),
        ("search.rule_weight", search.rule_weight, 0.0, 10.0),
        ("search.threshold", search.threshold, 0.0, 1.0),
        ("search.lowered_threshold", search.lowered_threshold, 0.0, search.threshold),
        ("search.quality_weight", search.quality_weight, -20.0, 20.0),
        ("search.recency_weight", search.recency_weight, -20.0, 20.0),
        ("search.rerank_pool", search.rerank_pool, 1, 10_000),
        ("search.deadline_s", search.deadline_s, 0.01, 600.0),
        ("search.cache_size", search.cache_size, 0, 100_000),
        ("search.cache_ttl_s", search.cache_ttl_s, 0.01, 86_400.0),
        ("search.exact_up_to", search.exact_up_to, 0, 500_000),
        ("game.candidates", game.candidates, 2, 100_000),
        ("game.prior_temperature", game.prior_temperature, 0.001, 10.0),
        ("game.prior_floor", game.prior_floor, 0.0, 0.5),
        ("game.prior_filter_share", game.prior_filter_share, 0.5, 0.9999),
        ("game.prior_boost_share", game.prior_boost_share, 0.0, 0.9999),
        ("game.error_scale", game.error_scale, 0.05, 20.0),
        ("game.careless_share", game.careless_share, 0.001, 0.8),
        ("game.useless_share", game.useless_share, 0.001, 0.8),
        ("game.opening_share", game.opening_share, 0.001, 0.9),
        ("game.passages_share", game.passages_share, 0.001, 0.9),
        ("game.name_share", game.name_share, 0.001, 0.9),
        ("game.design_opening_share", game.design_opening_share, 0.0, 1.0),
        ("game.questions_pool", game.questions_pool, 20, 100_000),
        ("game.request_timeout_s", game.request_timeout_s, 0.1, 600.0),
        ("game.game_timeout_s", game.game_timeout_s, 1.0, 86_400.0),
        ("game.phase_s", game.phase_s, 1.0, 86_400.0),
        ("ingest.workers", ingest.workers, 0, 256),
        ("ingest.timeout_s", ingest.timeout_s, 0.1, 86_400.0),
        ("ingest.min_words", ingest.min_words, 1, 1_000),
        ("ingest.max_words", ingest.max_words, ingest.min_words, 100_000),
        ("embed.batch_size", embed.batch_size, 1, 4_096),
        ("embed.max_tokens", embed.max_tokens, 8, 512),
        ("embed.threads", embed.threads, 0, 256),
    ]
    for name, value, low, high in rules:
        if not low <= value <= high:
            raise SettingsError(f"{name} must be within {low}..{high}, got {value} ({where})")
    if search.pdf_k + search.global_k > search.k:
        raise SettingsError(
            f"search.pdf_k + search.global_k must be at most k={search.k}, "
            f"got {search.pdf_k} + {search.global_k} ({where})"
        )
    if game.careless_share + game.useless_share > 0.9 + 1e-9:
        raise SettingsError(
            f"game: careless_share + useless_share must be at most 0.9, so that somebody is sound, "
            f"got {game.careless_share} + {game.useless_share} ({where})"
        )
    if game.opening_share + game.passages_share + game.name_share > 0.99:
        raise SettingsError(
            f"game: opening_share + passages_share + name_share must be at most 0.99, so that somebody sees the whole "
            f"paragraph, got {game.opening_share} + {game.passages_share} + {game.name_share} ({where})"
        )
    if search.rewrite not in ("off", "feedback") and "." not in search.rewrite:
        raise SettingsError(
            f"search.rewrite must be off, feedback or the dotted path of a rewriter, got {search.rewrite!r} ({where})"
        )
    if search.merge == "slots" and not search.pdf_k + search.global_k:
        raise SettingsError(f"search.pdf_k + search.global_k must be at least 1, got 0 + 0 ({where})")
    if not search.strategies:
        raise SettingsError(f"search.strategies must name at least one strategy, got none ({where})")
