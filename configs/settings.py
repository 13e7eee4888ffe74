"""Settings: keys with types, ranges and defaults, and presets, files and environment variables that change them.

configs/default.yaml explains each key with its unit; a test compares keys, ranges and defaults of both files.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self, TypeVar, get_args, get_origin

import yaml
from pydantic import ConfigDict, Field, ValidationError, model_validator
from pydantic.dataclasses import dataclass

from configs.plain_yaml import read_plain_file, read_plain_yaml
from configs.similar_names import did_you_mean

CONFIG_DIR = Path(__file__).resolve().parent
DEFAULT_CONFIG = CONFIG_DIR / "default.yaml"
PRESETS_CONFIG = CONFIG_DIR / "presets.yaml"

BookMatch = Literal["off", "stem", "resolved"]
Fusion = Literal["rrf", "linear"]
Accuracy = Literal["auto", "accurate", "fast", "plain"]
KeywordMode = Literal["rule", "fused", "fallback", "off"]
Merge = Literal["slots", "relevance"]
SpillOver = Literal["never", "no-book", "always"]

MAX_SHOWN = 80
"""The most characters of a value that an error shows."""
ROUNDING = 1e-9
"""The excess of a sum of fractions over its bound that is ignored."""

STRICT = ConfigDict(strict=True)
N = TypeVar("N", int, float)


class QuarryError(Exception):
    """Base of all errors that Quarry raises on purpose; the text is one line that ends in the remedy."""


class WorkerError(QuarryError, RuntimeError):
    """Workers cannot do the work."""


class SettingsError(QuarryError, ValueError):
    """A settings file, a flag or an environment variable holds a bad value."""


def number(default: N, low: float | str, high: float | str) -> N:
    """Return a field for a number within low..high; a bound may be the name of another key of the section."""
    fixed: dict[str, Any] = (
        {} if isinstance(low, str) or isinstance(high, str) else {"ge": low, "le": high}
    )
    field: Any = Field(default, json_schema_extra={"low": low, "high": high}, **fixed)
    return field  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True, config=STRICT)
class _Section:
    """A section of the settings."""

    @model_validator(mode="after")
    def _within_other_keys(self) -> Self:
        for key, field in fields(type(self)).items():
            bounds: Any = field.json_schema_extra or {}
            if any(isinstance(end, str) for end in bounds.values()):
                low, high = (
                    getattr(self, end) if isinstance(end, str) else end
                    for end in bounds.values()
                )
                if not low <= getattr(self, key) <= high:
                    raise ValueError(
                        f"{key} must be within {low}..{high}, got {getattr(self, key)}"
                    )
        return self


@dataclass(frozen=True, slots=True, config=STRICT)
class EmbedSettings(_Section):
    """Settings of the embedding of texts."""

    max_tokens: int = number(256, 8, 512)
    threads: int = number(0, 0, 256)
    models_dir: str = ""
    own: str = ""


@dataclass(frozen=True, slots=True, config=STRICT)
class IngestSettings(_Section):
    """Settings of the reading of files."""

    workers: int = number(0, 0, 256)
    timeout_s: float = number(300.0, 0.1, 86_400.0)
    memory_mb: int = number(2_000, 200, 100_000)
    min_words: int = number(25, 1, 1_000)
    max_words: int = number(400, "min_words", 100_000)
    reader: str = "auto"
    editions: tuple[str, ...] = Field(
        default=("pdfplumber:page", "pypdf:window:2000", "pypdfium2:window:2000"),
        strict=False,
    )


@dataclass(frozen=True, slots=True, config=STRICT)
class SearchSettings(_Section):
    """Settings of a search."""

    strategies: tuple[str, ...] = Field(
        default=("dense",), strict=False
    )  # YAML has no tuples
    keywords: KeywordMode = "rule"
    fusion: Fusion = "linear"
    rrf_k: int = number(60, 1, 10_000)
    sentence_weight: float = number(0.4, 0.0, 1.0)
    sentence_mean_weight: float = number(0.2, 0.0, 1.0)
    rule_weight: float = number(2.5, 0.0, 10.0)
    k: int = number(0, 0, 10_000)
    pdf_k: int = number(15, 0, 10_000)
    global_k: int = number(5, 0, 10_000)
    spill_over: SpillOver = "always"
    merge: Merge = "slots"
    book_match: BookMatch = "resolved"
    filter_confidence: float = number(0.9, 0.0, 1.0)
    boost_confidence: float = number(0.6, 0.0, "filter_confidence")
    boost: float = number(1.0, 0.0, 10.0)
    threshold: float = number(0.7, 0.0, 1.0)
    lowered_threshold: float = number(0.35, 0.0, "threshold")
    cascade: bool = True
    kind_weight: float = number(1.0, 0.0, 10.0)
    deadline_s: float = number(8.0, 0.01, 600.0)
    cache_size: int = number(1_024, 0, 100_000)
    accuracy: Accuracy = "auto"
    cross_encoder: str = ""

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        if self.sentence_weight + self.sentence_mean_weight > 1.0 + ROUNDING:
            raise ValueError(
                "sentence_weight + sentence_mean_weight must be at most 1, "
                f"got {self.sentence_weight} + {self.sentence_mean_weight}"
            )
        if not self.pdf_k + self.global_k and (self.merge == "slots" or not self.k):
            raise ValueError("pdf_k + global_k must be at least 1, got 0 + 0")
        if not self.strategies:
            raise ValueError("strategies must name at least one strategy, got none")
        return self


@dataclass(frozen=True, slots=True, config=STRICT)
class GameSettings(_Section):
    """Settings of a game."""

    candidates: int = number(10_000_000, 0, 10_000_000)
    prior_temperature: float = number(1.5, 0.001, 10.0)
    prior_floor: float = number(0.01, 0.0, 0.5)
    prior_filter_share: float = number(0.994, 0.5, 0.9999)
    prior_boost_share: float = number(0.913, 0.0, 0.9999)
    careless_share: float = number(0.4, 0.001, 0.8)
    useless_share: float = number(0.2, 0.001, 0.8)
    opening_share: float = number(0.25, 0.001, 0.9)
    passages_share: float = number(0.25, 0.001, 0.9)
    name_share: float = number(0.05, 0.001, 0.9)
    design_opening_share: float = number(0.5, 0.0, 1.0)
    questions_pool: int = number(1_000, 20, 100_000)
    request_timeout_s: float = number(10.0, 0.1, 600.0)
    game_timeout_s: float = number(1_500.0, 1.0, 86_400.0)
    phase_s: float = number(40.0, 1.0, 86_400.0)
    writer: str = ""
    writer_url: str = ""
    writer_log: str = ""

    @model_validator(mode="after")
    def _leave_room(self) -> Self:
        if self.careless_share + self.useless_share > 0.9 + ROUNDING:
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
    """All settings, with the name of the preset that they began with."""

    preset: str
    embed: EmbedSettings
    ingest: IngestSettings
    search: SearchSettings
    game: GameSettings
    token: str = dataclasses.field(default="", repr=False)


SECTIONS: dict[str, type[Any]] = {
    "embed": EmbedSettings,
    "ingest": IngestSettings,
    "search": SearchSettings,
    "game": GameSettings,
}
"""The sections of a settings file."""


def fields(kind: type[Any]) -> dict[str, Any]:
    """Return pydantic's `FieldInfo` of each key of a section, in order."""
    found: dict[str, Any] = kind.__pydantic_fields__
    return found


def preset_names() -> tuple[str, ...]:
    """Return the names of all presets, `default` first."""
    return ("default", *_presets())


def _presets() -> Mapping[str, Any]:
    presets: dict[str, Any] = yaml.safe_load(PRESETS_CONFIG.read_text(encoding="utf-8"))
    return presets


def load(
    preset: str = "default", config: Path | None = None, changes: Sequence[str] = ()
) -> Settings:
    """Load the settings of a preset, and merge the user's changes over them.

    Later ones win: the defaults, the preset, `config`, the environment (QUARRY_TOKEN, QUARRY_MODELS, QUARRY_ACCURACY),
    `changes`. Nothing else is read.

    Args:
        preset: a name, or the path of a YAML file (.yaml or .yml).
        changes: SECTION.KEY=VALUE, as of `--set`.

    Raises:
        SettingsError: unknown preset or key, a value of the wrong type or out of range, unreadable YAML.
    """
    parts = {section: kind() for section, kind in SECTIONS.items()}
    settings = Settings(preset, **parts, token=os.environ.get("QUARRY_TOKEN", ""))
    presets = _presets()
    if preset in presets:
        settings = merge_settings(
            settings, presets[preset], f"{PRESETS_CONFIG}, preset {preset}"
        )
    elif is_file_name(preset):
        settings = merge_settings(
            settings, _read_yaml(Path(preset), "--preset"), preset
        )
    elif preset != "default":
        names = preset_names()
        raise SettingsError(
            f"preset must be one of {', '.join(names)}, or a YAML file, got {preset!r}{did_you_mean(preset, names)}"
        )
    if config is not None:
        settings = merge_settings(settings, _read_yaml(config, "--config"), str(config))
    if models_dir := os.environ.get("QUARRY_MODELS"):
        settings = merge_settings(
            settings, {"embed": {"models_dir": models_dir}}, "QUARRY_MODELS"
        )
    if (
        accuracy := os.environ.get("QUARRY_ACCURACY")
    ) and settings.search.accuracy == "auto":
        settings = merge_settings(
            settings, {"search": {"accuracy": accuracy}}, "QUARRY_ACCURACY"
        )
    return merge_settings(
        settings, _changed(changes), " ".join(f"--set {change}" for change in changes)
    )


def as_dict(settings: Settings) -> dict[str, Any]:
    """Return the settings as plain values for a run's record, without the token."""
    tree = dataclasses.asdict(settings)
    del tree["token"]
    return tree


def is_file_name(preset: str) -> bool:
    """Return whether a preset is given as a file."""
    return preset.endswith((".yaml", ".yml"))


def _changed(changes: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Read the values of `--set` as one mapping of sections."""
    tree: dict[str, dict[str, Any]] = {}
    for change in changes:
        name, equals, text = (part.strip() for part in change.partition("="))
        section, _, key = name.partition(".")
        if not equals or not key:
            raise SettingsError(
                f"--set must be SECTION.KEY=VALUE, got {change!r}; e.g. search.rule_weight=0"
            )
        try:
            tree.setdefault(section, {})[key] = read_plain_yaml(text) if text else ""
        except ValueError as error:
            raise SettingsError(
                f"--set {change[:MAX_SHOWN]}: the value must be {error}"
            ) from error
    return tree


def _read_yaml(path: Path, flag: str) -> Any:
    if not path.is_file():
        raise SettingsError(
            f"{flag} must name a YAML file, got {path}: no such file; copy {DEFAULT_CONFIG}"
        )
    try:
        tree = read_plain_file(path)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"{path}: must be a readable UTF-8 file: {error}"
        ) from error
    except ValueError as error:
        raise SettingsError(f"{path}: must be {error}") from error
    return {} if tree is None else tree


def merge_settings(settings: Settings, over: Any, where: str) -> Settings:
    """Merge a mapping of sections over settings; ignore the section `provenance`, which is for people.

    Raises:
        SettingsError: unknown section or key, a value of the wrong type or out of range; the text names `where`.
    """
    if not isinstance(over, dict):
        raise SettingsError(
            f"{where}: must hold a mapping of sections, got {type(over).__name__}"
        )
    for section, values in over.items():
        if section == "provenance":
            continue
        if section not in SECTIONS:
            raise SettingsError(
                f"{where}: section must be one of {', '.join(SECTIONS)}, got {section!r}"
                f"{did_you_mean(str(section), SECTIONS)}"
            )
        if not isinstance(values, dict):
            raise SettingsError(
                f"{where}: section {section} must hold keys and values, got {type(values).__name__}"
            )
        known = fields(SECTIONS[section])
        for key in values:
            if key not in known:
                raise SettingsError(
                    f"{where}: {section} has no key {_short(key)}; it has {', '.join(known)}"
                    f"{did_you_mean(str(key), known)}"
                )
        try:
            changed = dataclasses.replace(getattr(settings, section), **values)
        except ValidationError as error:
            raise SettingsError(f"{_refusal(error, section)} ({where})") from None
        settings = dataclasses.replace(settings, **{section: changed})
    return settings


def _refusal(error: ValidationError, section: str) -> str:
    """Return a line with the first fault: what must hold, and what was given."""
    first = error.errors(include_url=False)[0]
    if not first["loc"]:  # a rule about several keys
        return f"{section}.{first['ctx']['error']}"
    key = str(first["loc"][0])
    field = fields(SECTIONS[section])[key]
    bounds: Any = field.json_schema_extra or {}
    if first["type"] == "literal_error":
        wanted = f"one of {', '.join(get_args(field.annotation))}"
    elif get_origin(field.annotation) is tuple:
        wanted = "a list of names"
    elif first["type"].endswith("_type") or not bounds:
        wanted = f"of type {field.annotation.__name__}"
    else:
        wanted = f"within {bounds['low']}..{bounds['high']}"
    value = first["input"]
    return f"{section}.{key} must be {wanted}, got {_short([value] if len(first['loc']) > 1 else value)}"


def _short(value: object) -> str:
    """Show a value in at most MAX_SHOWN characters."""
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."
