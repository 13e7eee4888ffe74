"""Settings of every part, frozen; alone in reading YAML and of the environment.

What a key is for stands below it. Both are checked by pydantic, and both make default.yaml (configs/generated.py).
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args, get_origin

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, model_validator
from pydantic.dataclasses import dataclass

from quarry.configs.field_info import about, fields, number
from quarry.configs.plain_yaml import read_plain_file, read_plain_yaml
from quarry.configs.suggest import meant

CONFIG_DIR = Path(__file__).resolve().parent
DEFAULT_CONFIG = CONFIG_DIR / "default.yaml"
PRESETS_CONFIG = CONFIG_DIR / "presets.yaml"

BookMatch = Literal["off", "stem", "resolved"]
Fusion = Literal["first", "rrf", "linear"]
Accuracy = Literal["auto", "accurate", "fast", "plain"]
KeywordMode = Literal["rule", "fused", "fallback", "off"]
Merge = Literal["slots", "relevance"]
SpillOver = Literal["never", "no-book", "always"]

MAX_SHOWN = 80
"""Characters of a value that an error shows."""

STRICT = ConfigDict(strict=True, use_attribute_docstrings=True)


class SettingsError(ValueError):
    """A settings file or an environment variable holds what it must not; the text is one line with the remedy."""


@dataclass(frozen=True, slots=True, config=STRICT)
class _Section:
    """Some of the settings; a number whose range hangs on another key is within it."""

    @model_validator(mode="after")
    def _within_what_other_keys_allow(self) -> Self:
        for key, field in fields(type(self)).items():
            if (known := about(field)) and not known.is_fixed:
                (low, high), value = known.bounds(self), getattr(self, key)
                if not low <= value <= high:
                    raise ValueError(f"{key} must be within {low}..{high}, got {value}")
        return self


@dataclass(frozen=True, slots=True, config=STRICT)
class EmbedSettings(_Section):
    """How texts become vectors."""

    batch_size: int = number(4, 1, 4_096, unit="texts")
    """how many of like length a thread embeds at once at ingest"""
    max_tokens: int = number(256, 8, 512, unit="tokens")
    """longer texts are cut"""
    threads: int = number(0, 0, 256, unit="threads")
    """of the embedding model; 0 takes all cores"""
    models_dir: str = ""
    """folder of exported models; "" is models in your cache folder (environment: QUARRY_MODELS)"""


@dataclass(frozen=True, slots=True, config=STRICT)
class IngestSettings(_Section):
    """How files become paragraphs."""

    workers: int = number(0, 0, 256, unit="processes")
    """that read PDFs; 0 takes all cores"""
    timeout_s: float = number(300.0, 0.1, 86400.0, unit="seconds")
    """for reading a file of up to 500 pages before it is given up; longer ones have more in proportion"""
    memory_mb: int = number(2000, 200, 100_000, unit="MB")
    """that a process may hold while it reads a file before the file is given up"""
    min_words: int = number(25, 1, 1_000, unit="words")
    """a shorter paragraph is rejected as "short" """
    max_words: int = number(400, "min_words", 100_000, unit="words")
    """a longer one is rejected as "long" """
    reader: str = "auto"
    """auto, pypdfium2, pdfplumber or tesseract; auto is the first, and the others where it looks wrong
    (docs/guides/ingest.md)"""


@dataclass(frozen=True, slots=True, config=STRICT)
class SearchSettings(_Section):
    """What one search does."""

    strategies: tuple[str, ...] = Field(default=("dense",), strict=False)
    """of dense, keyword, reranked (dense, re-ranked by a cross-encoder), or dotted paths of your own, such as
    my_package.MyStrategy; in the order of their merge"""
    keywords: KeywordMode = "rule"
    """how a hint's words relate to the text: rule (the game: they do not occur in the paragraph), fused (ordinary
    questions), fallback (where nothing else is found), or off"""
    fusion: Fusion = "linear"
    """of several strategies: linear (calibrated; dense and keyword), rrf, or first: the first that found something"""
    rrf_k: int = number(60, 1, 10_000)
    """the constant of reciprocal rank fusion (Cormack et al., 2009)"""
    sentence_weight: float = number(0.4, 0.0, 1.0, tried=(0.0, 1.0, 0.05))
    """of the best sentence's similarity; the paragraph's own has what is left"""
    sentence_mean_weight: float = number(0.2, 0.0, "sentence_weight_left", tried=(0.0, 1.0, 0.05))
    """of the mean similarity of the sentences"""
    rule_weight: float = number(2.5, 0.0, 10.0, tried=(0.0, 3.0, 0.05))
    """what the game's rule weighs in the mode rule, in shares of its fitted log-odds"""
    k: int = number(20, 1, 10_000, unit="hits")
    """returned at most"""
    pdf_k: int = number(20, 0, "k", unit="hits", tried=(0, 20, 1))
    """slots reserved for the resolved book"""
    global_k: int = number(0, 0, "k", unit="hits", tried=(0, 20, 1))
    """slots reserved for the whole course; 1 <= pdf_k + global_k <= k; where they do not add up to the hits
    wanted, both grow in proportion until they do"""
    global_pool: int = number(20, "global_k", 100_000, unit="hits")
    """unfiltered hits looked at to fill the global slots"""
    spill_over: SpillOver = "always"
    """unused slots of one side go to the other: never, always, or only where no-book is found"""
    merge: Merge = "slots"
    """slots: the book's hits first, in slots of their own; relevance: all hits by relevance"""
    book_match: BookMatch = "resolved"
    """off: never filter; stem: exact file stem only; resolved: any alias, with confidence"""
    filter_confidence: float = number(0.9, 0.0, 1.0, tried=(0.3, 1.0, 0.01))
    """a book resolved at least this surely filters"""
    boost_confidence: float = number(0.6, 0.0, "filter_confidence", tried=(0.0, 1.0, 0.01))
    """a book resolved at least this surely is boosted"""
    boost: float = number(1.0, 0.0, 10.0, tried=(0.0, 2.0, 0.05))
    """what a resolved book weighs before the cut, in shares of its confidence's log-odds"""
    threshold: float = number(0.7, 0.0, 1.0, unit="calibrated relevance", tried=(0.02, 0.98, 0.02))
    """below it a step of the cascade has found nothing"""
    lowered_threshold: float = number(0.35, 0.0, "threshold", tried=(0.0, 0.98, 0.01))
    """of the last step"""
    cascade: bool = True
    """where a step finds nothing, try the next: book, rewritten, original, fallback, lowered"""
    rewrite: str = "off"
    """feedback: words of the first hits are added to the hint (pseudo-relevance feedback); or the dotted path of a
    rewriter of your own"""
    quality_weight: float = number(0.0, -20.0, 20.0, unit="log-odds")
    """for paragraphs of the document of which most text was kept"""
    recency_weight: float = number(0.0, -20.0, 20.0, unit="log-odds")
    """for paragraphs of the latest document"""
    cross_encoder: str = ""
    """folder of a sentence-transformers CrossEncoder with one output; the strategy reranked needs it"""
    rerank_pool: int = number(40, 1, 10_000, unit="hits")
    """of dense, that the cross-encoder reads; the others follow them"""
    deadline_s: float = number(8.0, 0.01, 600.0, unit="seconds")
    """for all that a search waits for: strategies, embedding, names, rewriter"""
    cache_size: int = number(1024, 0, 100_000, unit="results")
    """kept for the next time, 8 kB each at most; 0 keeps none"""
    cache_ttl_s: float = number(86400.0, 0.01, 86400.0, unit="seconds")
    """after which a kept result is dropped; those of an older store are never given"""
    accuracy: Accuracy = "auto"
    """accurate: hints are compared word by word, by mpnet beside minilm; fast: by the store's own embedder alone;
    plain: as a whole; auto: accurate where `make mpnet` has been run, else fast (environment: QUARRY_ACCURACY)"""
    hints: str = ""
    """file of hints, {"hint"} a line, against which nearness is weighed; "" is ours"""

    @property
    def sentence_weight_left(self) -> float:
        """What the best sentence leaves to the others."""
        return 1.0 - self.sentence_weight

    @property
    def lacks_cross_encoder(self) -> bool:
        """Whether hits are to be re-ranked by a model that was not given."""
        return "reranked" in self.strategies and not self.cross_encoder

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        if self.pdf_k + self.global_k > self.k:
            raise ValueError(f"pdf_k + global_k must be at most k={self.k}, got {self.pdf_k} + {self.global_k}")
        if self.merge == "slots" and not self.pdf_k + self.global_k:
            raise ValueError("pdf_k + global_k must be at least 1, got 0 + 0")
        if self.rewrite not in ("off", "feedback") and "." not in self.rewrite:
            raise ValueError(
                f"rewrite must be off, feedback or the dotted path of a rewriter, got {self.rewrite[:MAX_SHOWN]!r}"
            )
        if not self.strategies:
            raise ValueError("strategies must name at least one strategy, got none")
        return self


@dataclass(frozen=True, slots=True, config=STRICT)
class GameSettings(_Section):
    """How a game is played."""

    candidates: int = number(3000, 2, 100_000, unit="paragraphs")
    """over how many of the best hits the belief runs"""
    prior_temperature: float = number(0.98, 0.001, 10.0)
    """what log-odds of relevance are divided by to give a prior; 1: as they are"""
    prior_floor: float = number(0.002, 0.0, 0.5)
    """share of the prior spread evenly over all candidates"""
    prior_filter_share: float = number(0.994, 0.5, 0.9999)
    """probability that the paragraph stands in a book that filters"""
    prior_boost_share: float = number(0.913, 0.0, 0.9999)
    """the same for a book that is boosted"""
    error_scale: float = number(1.0, 0.05, 20.0)
    """what the odds of all wrong and declined answers are multiplied by"""
    careless_share: float = number(0.4, 0.001, 0.8)
    """prior probability of a referee who gives some of the answers by chance"""
    useless_share: float = number(0.2, 0.001, 0.8)
    """of one who gives all of them by chance; both together 0.9 at most"""
    opening_share: float = number(0.25, 0.001, 0.9)
    """of those who see something: prior probability that it is the opening sentence alone"""
    passages_share: float = number(0.25, 0.001, 0.9)
    """that it is that sentence and passages of the course"""
    name_share: float = number(0.05, 0.001, 0.9)
    """that it is the book's name and the hint alone; all three together 0.99 at most"""
    design_opening_share: float = number(0.5, 0.0, 1.0)
    """what a bit counts, when questions are chosen, that also who sees the opening sentence alone can tell"""
    questions_pool: int = number(1000, 20, 100_000, unit="questions")
    """from which the 20 are chosen"""
    request_timeout_s: float = number(10.0, 0.1, 600.0, unit="seconds")
    """for one request to the game server; one that may be repeated gets three"""
    game_timeout_s: float = number(1500.0, 1.0, 86400.0, unit="seconds")
    """from asking for a game to its score; referees may take 300, 600 and 300"""
    phase_s: float = number(40.0, 1.0, 86400.0, unit="seconds")
    """a reply leaves in half of this, or of what its message allows if that is less"""

    @model_validator(mode="after")
    def _leave_room(self) -> Self:
        if self.careless_share + self.useless_share > 0.9 + 1e-9:
            raise ValueError(
                f"careless_share + useless_share must be at most 0.9, so that somebody is sound, "
                f"got {self.careless_share} + {self.useless_share}"
            )
        if self.opening_share + self.passages_share + self.name_share > 0.99:
            raise ValueError(
                f"opening_share + passages_share + name_share must be at most 0.99, so that somebody sees the whole "
                f"paragraph, got {self.opening_share} + {self.passages_share} + {self.name_share}"
            )
        return self


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set, with the preset it was made for.

    Attributes:
        tuned_on: fingerprint of the store on which `tune` found some of the values, "" where it found none.
    """

    preset: str
    embed: EmbedSettings
    ingest: IngestSettings
    search: SearchSettings
    game: GameSettings
    token: str = dataclasses.field(default="", repr=False)
    tuned_on: str = ""

    def tuning_told(self, fingerprint: str) -> str:
        """A line for people who use a store with settings that were tuned, on it or on another; "" where none were."""
        if not self.tuned_on:
            return ""
        if self.tuned_on == fingerprint:
            return f"tuned settings are in force ({self.preset}, tuned on this store)"
        return (
            f"tuned settings are in force ({self.preset}), but they were tuned on another store ({self.tuned_on} for "
            f"{fingerprint}), and what they gained there says nothing of this one; tune again, or leave their file out"
        )


SECTIONS: dict[str, type[Any]] = {
    "embed": EmbedSettings,
    "ingest": IngestSettings,
    "search": SearchSettings,
    "game": GameSettings,
}
"""The sections of a settings file."""


def preset_names() -> tuple[str, ...]:
    """The names that `load(preset=...)` takes, `default` first."""
    return ("default", *_presets())


def _presets() -> Mapping[str, Any]:
    """By name the values that a preset lays over the default: the project's own, and those of installed packages."""
    from quarry.configs.registry import Table

    return Table("quarry.presets", _read_yaml(PRESETS_CONFIG))


def load(preset: str = "default", config: Path | None = None, changes: Sequence[str] = ()) -> Settings:
    """The settings of a preset, with the user's file laid over them.

    Order, later wins: the defaults, the preset, `config`, the environment (QUARRY_TOKEN, QUARRY_MODELS,
    QUARRY_ACCURACY), `changes`. Nothing else is read.

    Args:
        preset: a name, or the path of a YAML file (.yaml or .yml); NAME.yaml here, where no preset has the name.
        changes: as `--set` takes them, SECTION.KEY=VALUE.

    Raises:
        SettingsError: unknown preset or key, a value of the wrong type or out of range, unreadable YAML.
    """
    parts = {section: kind() for section, kind in SECTIONS.items()}
    settings = Settings(preset, **parts, token=os.environ.get("QUARRY_TOKEN", ""))
    names = preset_names()
    files: list[tuple[Path, str]] = []
    if is_file_name(preset) or (preset not in names and os.path.isfile(f"{preset}.yaml")):
        files.append((Path(preset if is_file_name(preset) else f"{preset}.yaml"), "--preset"))
    elif preset not in names:
        raise SettingsError(
            f"preset must be one of {', '.join(names)}, or a YAML file, got {preset!r}{meant(preset, names)}"
        )
    elif preset != "default":
        settings = laid_over(settings, _presets()[preset], f"{PRESETS_CONFIG}, preset {preset}")
    if config is not None:
        files.append((config, "--config"))
    for path, flag in files:
        if not path.is_file():
            raise SettingsError(f"{flag} must name a YAML file, got {path}: no such file; copy {DEFAULT_CONFIG}")
        tree = _read_yaml(path)
        settings = laid_over(settings, tree, str(path))
        settings = dataclasses.replace(settings, tuned_on=_tuned_on(tree) or settings.tuned_on)
    if models_dir := os.environ.get("QUARRY_MODELS"):
        settings = laid_over(settings, {"embed": {"models_dir": models_dir}}, "QUARRY_MODELS")
    if (accuracy := os.environ.get("QUARRY_ACCURACY")) and settings.search.accuracy == "auto":
        settings = laid_over(settings, {"search": {"accuracy": accuracy}}, "QUARRY_ACCURACY")
    return laid_over(settings, _changed(changes), " ".join(f"--set {change}" for change in changes))


def as_dict(settings: Settings) -> dict[str, Any]:
    """The settings as plain values for a run's record, without the token."""
    tree = dataclasses.asdict(settings)
    del tree["token"]
    if not settings.tuned_on:
        del tree["tuned_on"]
    return tree


def is_file_name(preset: str) -> bool:
    """Whether a preset is written as a file of the user's, not by name."""
    return preset.endswith((".yaml", ".yml"))


def _tuned_on(tree: Mapping[str, Any]) -> str:
    """The store's fingerprint that a file of `tune` gives, "" of any other."""
    provenance = tree.get("provenance")
    return str(provenance.get("store_fingerprint", "")) if isinstance(provenance, dict) else ""


def _changed(changes: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What several `--set` write, as a settings file would have it."""
    names = [f"{section}.{key}" for section, kind in SECTIONS.items() for key in fields(kind)]
    tree: dict[str, dict[str, Any]] = {}
    for change in changes:
        name, equals, text = (part.strip() for part in change.partition("="))
        section, _, key = name.partition(".")
        if not equals or not key:
            raise SettingsError(f"--set must be SECTION.KEY=VALUE, got {change!r}; e.g. search.rule_weight=0")
        if name not in names:
            raise SettingsError(f"--set must name a setting of {DEFAULT_CONFIG}, got {name!r}{meant(name, names)}")
        try:
            tree.setdefault(section, {})[key] = read_plain_yaml(text) if text else ""
        except ValueError as error:
            raise SettingsError(f"--set {change}: the value must be {error}") from error
    return tree


def search_value(key: str, value: Any, where: str) -> Any:
    """A value of a key of the search's settings, as `load` takes it; bounds that other keys move are not looked at.

    Raises:
        SettingsError: it is of another type, or out of range.
    """
    field = fields(SearchSettings)[key]
    kind: Any = Annotated[field.annotation, None, *field.metadata]
    strict = ConfigDict(strict=key != "strategies")  # YAML has lists, and no tuples
    try:
        return TypeAdapter[Any](kind, config=strict).validate_python(value)
    except ValidationError as error:
        raise SettingsError(f"{_refusal(error, 'search', {key: value}, key)} ({where})") from None


def _read_yaml(path: Path) -> Any:
    try:
        tree = read_plain_file(path)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: must be a readable UTF-8 file: {error}") from error
    except ValueError as error:
        raise SettingsError(f"{path}: must be {error}") from error
    return {} if tree is None else tree


def laid_over(settings: Settings, over: Any, where: str) -> Settings:
    """Settings with the sections of `over` laid on them; `provenance` is for people and is left out.

    Raises:
        SettingsError: unknown section or key, a value of the wrong type or out of range; names `where` it stands.
    """
    if not isinstance(over, dict):
        raise SettingsError(f"{where}: must hold a mapping of sections, got {type(over).__name__}")
    for section, values in over.items():
        if section == "provenance":
            continue
        if section not in SECTIONS:
            raise SettingsError(
                f"{where}: section must be one of {', '.join(SECTIONS)}, got {section!r}{meant(str(section), SECTIONS)}"
            )
        if not isinstance(values, dict):
            raise SettingsError(f"{where}: section {section} must hold keys and values, got {type(values).__name__}")
        for key in values:
            require_key(section, key, where)
        try:
            changed = dataclasses.replace(getattr(settings, section), **values)
        except ValidationError as error:
            raise SettingsError(f"{_refusal(error, section, values)} ({where})") from None
        settings = dataclasses.replace(settings, **{section: changed})
    return settings


def require_key(section: str, key: object, where: str) -> None:
    """Pass if a section has a key.

    Raises:
        SettingsError: it has not; says what it has.
    """
    known = fields(SECTIONS[section])
    if key not in known:
        raise SettingsError(
            f"{where}: {section} has no key {_short(key)}; it has {', '.join(known)}{meant(str(key), known)}"
        )


def _refusal(error: ValidationError, section: str, values: dict[str, Any], key: str = "") -> str:
    """What is wrong with the values of a section, on one line.

    Args:
        key: that was looked at alone, "" for all of them.
    """
    first = error.errors(include_url=False)[0]
    key = key or str(next(iter(first["loc"]), ""))
    if not key:
        return f"{section}.{first['ctx']['error']}"
    field = fields(SECTIONS[section])[key]
    hint, number = field.annotation, about(field)
    if first["type"] == "literal_error":
        wanted = f"one of {', '.join(get_args(hint))}"
    elif get_origin(hint) is tuple:
        wanted = "a list of names"
    elif first["type"].endswith("_type") or number is None:
        wanted = f"of type {getattr(hint, '__name__', hint)}"
    else:
        wanted = f"within {number.low}..{number.high}"
    return f"{section}.{key} must be {wanted}, got {_short(values[key])}"


def _short(value: object) -> str:
    """A value as an error shows it."""
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."
