"""Settings: keys with types, ranges, defaults and descriptions. Presets, files and environment variables change them.

`make settings` writes them to configs/default.yaml.
"""

import dataclasses
import os
import reprlib
import textwrap
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    Self,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import yaml
from pydantic import (
    BeforeValidator,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic.dataclasses import dataclass

from configs.errors import SettingsError
from configs.faults import fault_and_remedy, require_regular
from configs.plain_yaml import read_plain_file, read_plain_yaml
from configs.similar_names import did_you_mean

CONFIG_DIR = Path(__file__).resolve().parent
"""Folder of the settings files."""
DEFAULT_CONFIG = CONFIG_DIR / "default.yaml"
"""File that explains all keys, with their defaults."""
PRESETS_CONFIG = CONFIG_DIR / "presets.yaml"
"""File of the presets."""

BookMatch = Literal["off", "stem", "resolved"]
"""Ways of resolving the name of a book."""
Fusion = Literal["rrf", "linear"]
"""Ways of fusing several strategies."""
KeywordMode = Literal["rule", "fused", "fallback", "off"]
"""Uses of the hint's words in a search."""
Merge = Literal["slots", "relevance"]
"""Ways of merging the hits of the book and of the course."""
SpillOver = Literal["never", "no-book", "always"]
"""Cases in which hits of the course fill empty slots of the book."""

MAX_SHOWN_CHARS = 100
"""Maximum number of characters of a command line, or of the keys of a section, that an error quotes."""
MAX_SEARCH_DEADLINE_S = 600.0
"""Maximum of `search.deadline_s`; measurements take it, so that results do not depend on speed."""
N = TypeVar("N", int, float)
T = TypeVar("T")


def _read_null(text: Any) -> Any:
    """Return "" for the null of YAML, else the text."""
    return "" if text in ("null", "~") else text


TextSetting = Annotated[str, BeforeValidator(_read_null)]
"""Type of a setting that is a text; null sets none."""


def setting(default: T, description: str, **bounds: Any) -> T:
    """Return a field with a default and the text that default.yaml shows beside it."""
    field: Any = Field(default, description=description, **bounds)
    return field  # type: ignore[no-any-return]


def number(default: N, low: float, high: float, description: str) -> N:
    """Return a field for a number within low..high; default.yaml shows the range before the description."""
    return setting(default, description, ge=low, le=high)


def _require(holds: bool, keys: str, bound: str, *values: float) -> None:
    """Raise a ValueError that names keys, their values and their bound unless a condition holds."""
    if not holds:
        shown = " + ".join(map(str, values))
        raise ValueError(f"{keys} is {shown}; it must be {bound}")


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """Section `embed`: how texts become vectors."""

    threads: int = number(
        0, 0, 256, "threads of the embedding model; 0 takes all cores"
    )
    models_dir: TextSetting = setting(
        "",
        'folder of exported models; "" is in your cache folder (environment: QUARRY_MODELS)',
    )
    own: TextSetting = setting(
        "",
        "dotted path, folder or hub id of your own embedder, which may be loaded if a store names it",
    )


@dataclass(frozen=True, slots=True)
class IngestSettings:
    """Section `ingest`: how files are read."""

    timeout_s: float = number(
        300.0, 0.1, 86_400.0, "seconds; a file that takes longer to read is given up"
    )
    memory_mb: int = number(
        2_000, 200, 100_000, "MB; a file whose reading takes more memory is given up"
    )
    min_words: int = number(
        25, 1, 1_000, "words; a shorter paragraph does not count as prose"
    )
    max_words: int = number(
        1_000,
        1,
        100_000,
        'words, at least min_words; a longer paragraph is rejected as "long"',
    )
    reader: str = setting("pypdfium2", "pypdfium2, or the dotted path of your own")
    editions: tuple[str, ...] = setting(
        ("pdfplumber:page", "pymupdf:page:2000"),
        "READER:CUT[:SIZE], texts that referees hold: of pdfplumber, pymupdf, pypdf, pypdfium2 or your own; whole "
        "pages, or of at most SIZE characters",
    )

    @model_validator(mode="after")
    def _check_bounds(self) -> Self:
        is_wide = self.max_words >= self.min_words
        _require(is_wide, "max_words", "at least min_words", self.max_words)
        return self


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Section `search`: how paragraphs are found."""

    strategies: tuple[str, ...] = setting(
        ("dense",),
        "of dense, keyword, chroma, cross-encoder, or dotted paths of your own, in the order of their merge",
        min_length=1,
    )
    keywords: KeywordMode = setting(
        "rule",
        "rule (in games: hints avoid the paragraph's words; plain searches then have fallback), fused, fallback (if "
        "nothing else is found) or off",
    )
    fusion: Fusion = setting(
        "linear",
        "how several strategies are joined: linear (calibrated; dense and keyword) or rrf",
    )
    rrf_k: int = number(
        60, 1, 10_000, "constant of reciprocal rank fusion (Cormack et al., 2009)"
    )
    rule_weight: float = number(
        2.5,
        0.0,
        10.0,
        "weight of the rule in the mode rule; 1 is its fitted log-odds",
    )
    k: int = number(0, 0, 10_000, "hits, returned at most; 0 is pdf_k + global_k")
    pdf_k: int = number(15, 0, 10_000, "hits, slots for the named book")
    global_k: int = number(
        5, 0, 10_000, "hits, slots for the whole course; with pdf_k at least 1"
    )
    spill_over: SpillOver = setting(
        "always",
        "spare slots of one side go to the other: never, always, or no-book (only if no book is found)",
    )
    merge: Merge = setting(
        "slots", "slots: the book's hits first; relevance: all hits by relevance"
    )
    book_match: BookMatch = setting(
        "resolved",
        "off: books are not filtered; stem: by the exact file stem; resolved: by any name, with confidence",
    )
    filter_confidence: float = number(
        0.9, 0.0, 1.0, "a book with this confidence filters"
    )
    boost_confidence: float = number(
        0.6,
        0.0,
        1.0,
        "at most filter_confidence; a book with this confidence is boosted",
    )
    boost: float = number(
        1.0,
        0.0,
        10.0,
        "weight of a boosted book; 1 is the log-odds of its confidence",
    )
    threshold: float = number(
        0.7,
        0.0,
        1.0,
        "calibrated relevance below which a step of the cascade has found nothing",
    )
    lowered_threshold: float = number(
        0.35, 0.0, 1.0, "at most threshold; the threshold of the last step"
    )
    cascade: bool = setting(
        True,
        "if a step finds nothing, try the next: hint with book, keywords as fallback, lowered threshold",
    )
    kind_weight: float = number(
        1.0,
        0.0,
        10.0,
        "weight of the paragraph's kind; 0 ranks by the hint only",
    )
    deadline_s: float = number(
        8.0, 0.01, MAX_SEARCH_DEADLINE_S, "seconds for the whole search"
    )
    cache_size: int = number(1_024, 0, 100_000, "results that are kept in memory")
    late_interaction: bool = setting(
        True,
        "also compare the hint with each paragraph token by token, not only as a whole",
    )
    cross_encoder: TextSetting = setting(
        "",
        "folder or hub id of the model of the strategy cross-encoder, which reranks the hits of those before it",
    )

    @model_validator(mode="after")
    def _check_bounds(self) -> Self:
        boost = self.boost_confidence
        is_below = boost <= self.filter_confidence
        _require(is_below, "boost_confidence", "at most filter_confidence", boost)

        lowered = self.lowered_threshold
        is_lower = lowered <= self.threshold
        _require(is_lower, "lowered_threshold", "at most threshold", lowered)

        has_hits = self.pdf_k + self.global_k or (self.merge != "slots" and self.k)
        _require(bool(has_hits), "pdf_k + global_k", "at least 1", 0, 0)
        return self


@dataclass(frozen=True, slots=True)
class GameSettings:
    """Section `game`: how games are played."""

    candidates: int = number(
        10_000_000,
        0,
        10_000_000,
        "paragraphs, the likeliest, with all their sentences; 0 takes the hits of the search. Editions come on top",
    )
    prior_temperature: float = number(
        1.5, 0.001, 10.0, "softmax temperature of the prior"
    )
    prior_filter_share: float = number(
        0.994,
        0.5,
        0.9999,
        "probability that the paragraph is in a book that filters",
    )
    prior_boost_share: float = number(
        0.913,
        0.0,
        0.9999,
        "probability that the paragraph is in a book that is boosted",
    )
    questions_pool: int = number(
        1_000, 20, 100_000, "questions, from which 20 are chosen"
    )
    request_timeout_s: float = number(
        10.0, 0.1, 600.0, "seconds for one request to the game server"
    )
    game_timeout_s: float = number(1_500.0, 1.0, 86_400.0, "seconds for a whole game")
    phase_s: float = number(
        40.0,
        1.0,
        86_400.0,
        "seconds; a reply is sent within half of this, or within half of its deadline if that is sooner",
    )
    writer: TextSetting = setting(
        "",
        'language model for word, justifications and re-ranking; "" is none (docs/guides/writer.md)',
    )
    writer_url: TextSetting = setting(
        "", 'its server with the OpenAI interface; "" is OpenAI\'s'
    )
    writer_log: TextSetting = setting(
        "", "file of its prompts and replies, which are read from there again"
    )


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """All settings, and the name of the preset that they started from."""

    preset: str
    embed: EmbedSettings
    ingest: IngestSettings
    search: SearchSettings
    game: GameSettings


SECTIONS: dict[str, type[Any]] = {
    name: kind for name, kind in get_type_hints(Settings).items() if name != "preset"
}
"""The sections of a settings file."""


def fields(kind: type[Any]) -> dict[str, Any]:
    """Return pydantic's `FieldInfo` of each key of a section, in order."""
    infos: dict[str, Any] = kind.__pydantic_fields__
    return infos


def preset_names() -> tuple[str, ...]:
    """Return the names of all presets, `default` first."""
    return tuple(_presets())


def require_preset(preset: str, where: str = "") -> None:
    """Raise a SettingsError with the nearest name unless a preset is known or a file; its text begins with `where`."""
    names = preset_names()
    if preset not in names and not is_file_name(preset):
        raise SettingsError(
            f"{where}preset {preset!r} is unknown; take {', '.join(names)}, or a YAML file{did_you_mean(preset, names)}"
        )


def _presets() -> Mapping[str, Any]:
    presets: dict[str, Any] = yaml.safe_load(PRESETS_CONFIG.read_text(encoding="utf-8"))
    return presets


def load(
    preset: str = "default", config: Path | None = None, changes: Sequence[str] = ()
) -> Settings:
    """Load the settings of a preset, and merge the user's changes over them; see `merge_changes`.

    Args:
        preset: a name, or the path of a YAML file (.yaml or .yml).

    Raises:
        SettingsError: unknown preset or key, a value of the wrong type or out of range, unreadable YAML.
    """
    defaults = {section: kind() for section, kind in SECTIONS.items()}
    settings = Settings(preset, **defaults)

    require_preset(preset)
    if is_file_name(preset):
        settings = merge_settings(settings, _read_yaml(preset, "--preset"), preset)
    else:
        where = f"{PRESETS_CONFIG}, preset {preset}"
        settings = merge_settings(settings, _presets()[preset], where)
    return merge_changes(settings, config, changes)


def merge_changes(
    settings: Settings, config: Path | None, changes: Sequence[str]
) -> Settings:
    """Merge the user's changes over settings: `config`, then the environment (QUARRY_MODELS), then `changes`.

    Args:
        config: a YAML file.
        changes: values of `--set`, each SECTION.KEY=VALUE.

    Raises:
        SettingsError: as for `load`.
    """
    if config is not None:
        tree = _read_yaml(str(config), "--config")
        settings = merge_settings(settings, tree, str(config))
    if folder := os.environ.get("QUARRY_MODELS"):
        tree = {"embed": {"models_dir": folder}}
        settings = merge_settings(settings, tree, "QUARRY_MODELS")
    where = " ".join(f"--set {change}" for change in changes)[:MAX_SHOWN_CHARS]
    return merge_settings(settings, _parse_changes(changes), where)


def is_file_name(preset: str) -> bool:
    """Return whether a preset is the name of a file."""
    return preset.lower().endswith((".yaml", ".yml"))


def _parse_changes(changes: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Read the values of `--set` as one mapping of sections."""
    tree: dict[str, dict[str, Any]] = {}
    for change in changes:
        name, equals, text = (part.strip() for part in change.partition("="))
        section, _, key = name.partition(".")
        if not equals or not key:
            raise SettingsError(
                f"--set {reprlib.repr(change)} is not SECTION.KEY=VALUE, such as search.rule_weight=0"
            )
        try:
            value = _read_plain_value(section, key, text)
        except ValueError as error:
            raise SettingsError(
                f"--set {change[:MAX_SHOWN_CHARS]}: the value is {error}"
            ) from error

        tree.setdefault(section, {})[key] = value
    return tree


def read_search_value(key: str, text: str) -> Any:
    """Read a value of a key of the section `search` as `--set` does.

    Raises:
        ValueError: the text is not YAML, or no value of the key.
    """
    field = fields(SearchSettings)[key]
    # key: Annotated needs at least one item, and pydantic ignores a text
    kind: Any = Annotated[field.annotation, key, *field.metadata]
    value = _read_plain_value("search", key, text)
    return TypeAdapter[Any](kind).validate_python(value)


def _read_plain_value(section: str, key: str, text: str) -> Any:
    """Read the text of a value as a text or a list, whose type its setting converts later."""
    value = read_plain_yaml(text)
    if section in SECTIONS and _is_list(SECTIONS[section], key):
        is_empty = not value or value in ("null", "~", "()", "{}")
        return [] if is_empty else value
    return value or ""


def _is_list(section: type[Any], key: str) -> bool:
    """Return whether a key of a section takes a list."""
    fields_of_section = fields(section)
    return (
        key in fields_of_section
        and get_origin(fields_of_section[key].annotation) is tuple
    )


def _read_yaml(name: str, flag: str) -> Any:
    path = Path(name)
    if not path.exists():
        raise SettingsError(f"{flag} {path} does not exist; copy {DEFAULT_CONFIG}")

    try:
        require_regular(path)  # a pipe can be read once, and presets are read again
        tree = read_plain_file(path)
    except OSError as error:
        raise SettingsError(
            f"{flag} {path} cannot be read: {fault_and_remedy(error, 'name a file that holds the settings')}"
        ) from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8: {error}; save it so") from error
    except ValueError as error:
        raise SettingsError(f"{path}: {error}") from error
    return {} if tree is None else tree


def merge_settings(settings: Settings, over: Any, where: str) -> Settings:
    """Merge a mapping of sections over settings; ignore the section `provenance`, which is for people.

    Raises:
        SettingsError: unknown section or key, a value of the wrong type or out of range; the text names `where`.
    """
    for section, values in _mapping(over, f"{where}: it").items():
        if section == "provenance":
            continue

        require_key(section, SECTIONS, f"{where}: it")
        if _read_null(values) == "":
            continue  # its keys are commented out
        fields_of_section = fields(SECTIONS[section])
        for key in _mapping(values, f"{where}: section {section}"):
            require_key(key, fields_of_section, f"{where}: {section}")

        try:
            changed = dataclasses.replace(getattr(settings, section), **values)
        except ValidationError as error:
            raise SettingsError(
                f"{_describe_refusal(error, section, values)} ({where})"
            ) from None
        settings = dataclasses.replace(settings, **{section: changed})
    return settings


def _mapping(value: Any, what: str) -> Mapping[Any, Any]:
    if not isinstance(value, dict):
        raise SettingsError(
            f"{what} is {reprlib.repr(value)}; it must hold keys and values"
        )
    return value


def require_key(key: object, names: Collection[str], what: str) -> None:
    """Raise a SettingsError with the nearest name unless a key is one of the names."""
    if key not in names:
        shown = textwrap.shorten(", ".join(names), MAX_SHOWN_CHARS, placeholder=" ...")
        raise SettingsError(
            f"{what} has no key {reprlib.repr(key)}; it has {shown}{did_you_mean(str(key), names)}"
        )


def _describe_refusal(
    error: ValidationError, section: str, values: Mapping[str, Any]
) -> str:
    """Describe the first fault in one line: the value as the user gave it, and the values that the key takes."""
    first = error.errors(include_url=False)[0]
    if not first["loc"]:  # a rule about several keys
        return f"{section}.{first['msg'].removeprefix('Value error, ')}"
    key = str(first["loc"][0])
    wanted = describe_values(section, key)
    return f"{section}.{key} is {reprlib.repr(values[key])}; it must be {wanted}"


def describe_values(section: str, key: str) -> str:
    """Describe in words the values that a key of a section takes, such as "a whole number within 0..10000"."""
    field = fields(SECTIONS[section])[key]
    if field.annotation in (int, float):
        noun = "a whole number" if field.annotation is int else "a number"
        low, high = field.metadata
        return f"{noun} within {low.ge}..{high.le}"
    if field.annotation is bool:
        return "true or false"
    if get_origin(field.annotation) is Literal:
        return f"one of {', '.join(get_args(field.annotation))}"
    if _is_list(SECTIONS[section], key):
        size = "a list of at least 1 text" if field.metadata else "a list of texts"
        return f"{size}, such as [{', '.join(field.default)}]"
    return "a text"
