"""Settings of every part, frozen; the only reader of YAML and of the environment."""

from __future__ import annotations

import dataclasses
import functools
import os
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from quarry.configs.about import About, about, choice, number
from quarry.configs.places import fitted
from quarry.configs.plain_yaml import read_plain_file

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

MAX_SHOWN = 80
"""Characters of a value that an error shows."""

T = TypeVar("T")


class SettingsError(ValueError):
    """A settings file or an environment variable holds what it must not; the text is one line with the remedy."""


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """How texts become vectors."""

    batch_size: int = number(4, 1, 4_096, "how many of like length a thread embeds at once at ingest", unit="texts")
    max_tokens: int = number(256, 8, 512, "longer texts are cut", unit="tokens")
    threads: int = number(0, 0, 256, "of the embedding model; 0 takes all cores", unit="threads")
    models_dir: str = choice("", 'folder of exported models; "" is STORE/models (environment: QUARRY_MODELS)')


@dataclass(frozen=True, slots=True)
class IngestSettings:
    """How files become paragraphs."""

    workers: int = number(0, 0, 256, "that read PDFs; 0 takes all cores", unit="processes")
    timeout_s: float = number(
        300.0,
        0.1,
        86400.0,
        "for reading a file of up to 500 pages before it is given up; longer ones have more in proportion",
        unit="seconds",
    )
    memory_mb: int = number(
        2000,
        200,
        100_000,
        "that a process may hold while it reads a file before the file is given up",
        unit="MB",
    )
    min_words: int = number(25, 1, 1_000, 'a shorter paragraph is rejected as "short"', unit="words")
    max_words: int = number(400, "min_words", 100_000, 'a longer one is rejected as "long"', unit="words")
    reader: str = choice(
        "auto",
        "auto, pypdfium2, pdfplumber or tesseract; auto is the first, and the others where it looks wrong "
        "(docs/guides/ingest.md)",
    )


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """What one search does."""

    strategies: tuple[str, ...] = choice(
        ("dense",),
        "of dense, keyword, reranked (dense, re-ranked by a cross-encoder), or dotted paths of your own, "
        "such as my_package.MyStrategy; in the order of their merge",
    )
    keywords: KeywordMode = choice(
        "rule",
        "how a hint's words relate to the text: rule (the game: they do not occur in the paragraph), "
        "fused (ordinary questions), fallback (where nothing else is found), or off",
    )
    fusion: Fusion = choice(
        "linear",
        "of several strategies: linear (calibrated; dense and keyword), rrf, or first: the first that found something",
    )
    rrf_k: int = number(60, 1, 10_000, "the constant of reciprocal rank fusion (Cormack et al., 2009)")
    sentence_weight: float = number(
        0.4,
        0.0,
        1.0,
        "of the best sentence's similarity; the paragraph's own has what is left",
        tried=(0.0, 1.0, 0.05),
    )
    sentence_mean_weight: float = number(
        0.2,
        0.0,
        "sentence_weight_left",
        "of the mean similarity of the sentences",
        tried=(0.0, 1.0, 0.05),
    )
    rule_weight: float = number(
        2.5,
        0.0,
        10.0,
        "what the game's rule weighs in the mode rule, in shares of its fitted log-odds",
        tried=(0.0, 3.0, 0.05),
    )
    k: int = number(20, 1, 10_000, "returned at most", unit="hits")
    pdf_k: int = number(20, 0, "k", "slots reserved for the resolved book", unit="hits", tried=(0, 20, 1))
    global_k: int = number(
        0,
        0,
        "k",
        "slots reserved for the whole course; 1 <= pdf_k + global_k <= k; where they do not add up to the "
        "hits wanted, both grow in proportion until they do",
        unit="hits",
        tried=(0, 20, 1),
    )
    global_pool: int = number(
        20,
        "global_k",
        100_000,
        "unfiltered hits looked at to fill the global slots",
        unit="hits",
    )
    spill_over: SpillOver = choice(
        "always",
        "unused slots of one side go to the other: never, always, or only where no-book is found",
    )
    merge: Merge = choice(
        "slots",
        "slots: the book's hits first, in slots of their own; relevance: all hits by relevance",
    )
    book_match: BookMatch = choice(
        "resolved",
        "off: never filter; stem: exact file stem only; resolved: any alias, with confidence",
    )
    filter_confidence: float = number(
        0.9,
        0.0,
        1.0,
        "a book resolved at least this surely filters",
        tried=(0.3, 1.0, 0.01),
    )
    boost_confidence: float = number(
        0.6,
        0.0,
        "filter_confidence",
        "a book resolved at least this surely is boosted",
        tried=(0.0, 1.0, 0.01),
    )
    boost: float = number(
        1.0,
        0.0,
        10.0,
        "what a resolved book weighs before the cut, in shares of its confidence's log-odds",
        tried=(0.0, 2.0, 0.05),
    )
    threshold: float = number(
        0.7,
        0.0,
        1.0,
        "below it a step of the cascade has found nothing",
        unit="calibrated relevance",
        tried=(0.02, 0.98, 0.02),
    )
    lowered_threshold: float = number(0.35, 0.0, "threshold", "of the last step", tried=(0.0, 0.98, 0.01))
    cascade: bool = choice(
        True,
        "where a step finds nothing, try the next: book, rewritten, original, fallback, lowered",
    )
    rewrite: str = choice(
        "off",
        "feedback: words of the first hits are added to the hint (pseudo-relevance feedback); or the "
        "dotted path of a rewriter of your own",
    )
    quality_weight: float = number(
        0.0,
        -20.0,
        20.0,
        "for paragraphs of the document of which most text was kept",
        unit="log-odds",
    )
    recency_weight: float = number(0.0, -20.0, 20.0, "for paragraphs of the latest document", unit="log-odds")
    cross_encoder: str = choice(
        "",
        "folder of a sentence-transformers CrossEncoder with one output; the strategy reranked needs it",
    )
    rerank_pool: int = number(
        40,
        1,
        10_000,
        "of dense, that the cross-encoder reads; the others follow them",
        unit="hits",
    )
    deadline_s: float = number(
        8.0,
        0.01,
        600.0,
        "for all that a search waits for: strategies, embedding, names, rewriter",
        unit="seconds",
    )
    cache_size: int = number(
        1024,
        0,
        100_000,
        "kept for the next time, 8 kB each at most; 0 keeps none",
        unit="results",
    )
    cache_ttl_s: float = number(
        86400.0,
        0.01,
        86400.0,
        "after which a kept result is dropped; those of an older store are never given",
        unit="seconds",
    )
    accuracy: Accuracy = choice(
        "auto",
        "accurate: hints are compared word by word, by mpnet beside minilm; fast: by the store's own "
        "embedder alone; plain: as a whole; auto: accurate where `make mpnet` has been run, else fast "
        "(environment: QUARRY_ACCURACY)",
    )
    hints: str = choice("", 'file of hints, {"hint"} a line, against which nearness is weighed; "" is ours')
    exact_up_to: int = number(
        20000,
        0,
        500_000,
        "searched with all sentences in memory; more with those of the best 300",
        unit="paragraphs",
    )

    @property
    def sentence_weight_left(self) -> float:
        """What the best sentence leaves to the others."""
        return 1.0 - self.sentence_weight

    @property
    def lacks_cross_encoder(self) -> bool:
        """Whether hits are to be re-ranked by a model that was not given."""
        return "reranked" in self.strategies and not self.cross_encoder


@dataclass(frozen=True, slots=True)
class GameSettings:
    """How a game is played."""

    candidates: int = number(3000, 2, 100_000, "over how many of the best hits the belief runs", unit="paragraphs")
    prior_temperature: float = number(
        0.98,
        0.001,
        10.0,
        "what log-odds of relevance are divided by to give a prior; 1: as they are",
    )
    prior_floor: float = number(0.002, 0.0, 0.5, "share of the prior spread evenly over all candidates")
    prior_filter_share: float = number(
        0.994,
        0.5,
        0.9999,
        "probability that the paragraph stands in a book that filters",
    )
    prior_boost_share: float = number(0.913, 0.0, 0.9999, "the same for a book that is boosted")
    error_scale: float = number(1.0, 0.05, 20.0, "what the odds of all wrong and declined answers are multiplied by")
    careless_share: float = number(
        0.4,
        0.001,
        0.8,
        "prior probability of a referee who gives some of the answers by chance",
    )
    useless_share: float = number(0.2, 0.001, 0.8, "of one who gives all of them by chance; both together 0.9 at most")
    opening_share: float = number(
        0.25,
        0.001,
        0.9,
        "of those who see something: prior probability that it is the opening sentence alone",
    )
    passages_share: float = number(0.25, 0.001, 0.9, "that it is that sentence and passages of the course")
    name_share: float = number(
        0.05,
        0.001,
        0.9,
        "that it is the book's name and the hint alone; all three together 0.99 at most",
    )
    design_opening_share: float = number(
        0.5,
        0.0,
        1.0,
        "what a bit counts, when questions are chosen, that also who sees the opening sentence alone can tell",
    )
    questions_pool: int = number(1000, 20, 100_000, "from which the 20 are chosen", unit="questions")
    request_timeout_s: float = number(
        10.0,
        0.1,
        600.0,
        "for one request to the game server; one that may be repeated gets three",
        unit="seconds",
    )
    game_timeout_s: float = number(
        1500.0,
        1.0,
        86400.0,
        "from asking for a game to its score; referees may take 300, 600 and 300",
        unit="seconds",
    )
    phase_s: float = number(
        40.0,
        1.0,
        86400.0,
        "a reply leaves in half of this, or of what its message allows if that is less",
        unit="seconds",
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set, with the preset it was made for."""

    preset: str
    embed: EmbedSettings
    ingest: IngestSettings
    search: SearchSettings
    game: GameSettings
    token: str = field(default="", repr=False)


SECTIONS: dict[str, type[Any]] = {
    "embed": EmbedSettings,
    "ingest": IngestSettings,
    "search": SearchSettings,
    "game": GameSettings,
}
"""The sections of a settings file."""


@functools.cache
def abouts(section: str) -> dict[str, About]:
    """What is known of each setting of a section, in order."""
    return {item.name: about(item) for item in dataclasses.fields(SECTIONS[section])}


def defaults() -> dict[str, dict[str, Any]]:
    """Every setting's default by section, as a settings file would have it."""
    return {
        section: {
            item.name: list(item.default) if isinstance(item.default, tuple) else item.default
            for item in dataclasses.fields(kind)
        }
        for section, kind in SECTIONS.items()
    }


def preset_names() -> tuple[str, ...]:
    """The names that `load(preset=...)` takes, `default` first."""
    return ("default", *_presets())


def _presets() -> Mapping[str, Any]:
    """By name the values that a preset lays over the default: the project's own, and those of installed packages."""
    from quarry.configs.table import Table

    return Table("quarry.presets", _read_yaml(PRESETS_CONFIG))


def load(preset: str = "default", config: Path | None = None) -> Settings:
    """The settings of a preset, with the user's file laid over them.

    Order, later wins: the defaults, tuned.yaml if it is there (preset `default` only), the preset, `config`, the
    environment (QUARRY_TOKEN, QUARRY_MODELS, QUARRY_ACCURACY).

    Raises:
        SettingsError: unknown preset or key, a value of the wrong type or out of range, unreadable YAML.
    """
    tree = defaults()
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
        tree = read_plain_file(path)
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
            raise SettingsError(
                f"{name} must be one of {', '.join(typing.get_args(hint))}, got {_short(value)} ({where})"
            )
        return value
    if origin is tuple:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise SettingsError(f"{name} must be a list of names, got {_short(value)} ({where})")
        return tuple(value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(hint, types.UnionType) or not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise SettingsError(f"{name} must be of type {hint.__name__}, got {_short(value)} ({where})")
    return value


def _short(value: Any) -> str:
    """A value as an error shows it."""
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."


def typed_search_value(key: str, value: Any, where: str) -> Any:
    """A value of one key of the search's settings, as `load` takes it; its bounds are not looked at.

    Raises:
        SettingsError: it is of another type.
    """
    return _typed(value, typing.get_type_hints(SearchSettings)[key], f"search.{key}", where)


def _check(settings: Settings, where: str) -> None:
    search, game = settings.search, settings.game
    for section in SECTIONS:
        values = getattr(settings, section)
        for key, known in abouts(section).items():
            bounds, value = known.bounds(values), getattr(values, key)
            if bounds is not None and not bounds[0] <= value <= bounds[1]:
                raise SettingsError(f"{section}.{key} must be within {bounds[0]}..{bounds[1]}, got {value} ({where})")
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
