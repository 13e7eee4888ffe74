"""default.yaml and space.yaml, as the settings give them: `python -m quarry.configs.generated` writes both."""

from __future__ import annotations

import textwrap

import yaml
from pydantic.fields import FieldInfo

from quarry.configs.field_info import about, fields
from quarry.configs.settings import CONFIG_DIR, DEFAULT_CONFIG, SECTIONS, SearchSettings

SPACE_CONFIG = CONFIG_DIR / "space.yaml"
WIDTH = 128

_DEFAULT_HEAD = """\
# Every key there is, with its unit and range. A file given with --config may set any of them; the rest stays as here.
# Written by `python -m quarry.configs.generated` from configs/settings.py.
"""
_SPACE_HEAD = """\
# What `python -m evaluate tune` may change, and within which bounds. Copy it, change it, and name the copy with
# --space. A list gives the values to choose from; low, high and step give a range. Any key of `search` in default.yaml
# may stand here; what must stay below another key (boost_confidence, sentence_mean_weight, lowered_threshold, global_k)
# is drawn beneath it. For plain questions, add: keywords: [fused, fallback, off], fusion: [linear, rrf]; for courses
# of uneven quality or age: quality_weight: {low: -2.0, high: 2.0, step: 0.1}, recency_weight: the same.
# Written by `python -m quarry.configs.generated` from configs/settings.py.

search:
"""


def default_yaml() -> str:
    """Every setting with its default and what is known of it."""
    return _DEFAULT_HEAD + "".join(f"\n{section}:\n{_lines(fields(kind))}" for section, kind in SECTIONS.items())


def space_yaml() -> str:
    """What is tuned unless a user says otherwise."""
    tried = {
        key: known.tried for key, field in fields(SearchSettings).items() if (known := about(field)) and known.tried
    }
    lines = (f"  {key}: {{low: {low}, high: {high}, step: {step}}}\n" for key, (low, high, step) in tried.items())
    return _SPACE_HEAD + "".join(lines)


def _lines(section: dict[str, FieldInfo]) -> str:
    heads = {key: f"  {key}: {_plain(field.default)} " for key, field in section.items()}
    width = max(map(len, heads.values()))
    lines = []
    for key, field in section.items():
        known, says = about(field), " ".join((field.description or "").split())
        remark = f"{known}: {says}" if known else says
        first, *rest = textwrap.wrap(remark, WIDTH - width, break_long_words=False, break_on_hyphens=False)
        lines += [f"{heads[key]:{width}}# {first}", *(f"{'':{width}}# {line}" for line in rest)]
    return "\n".join(lines) + "\n"


def _plain(value: object) -> str:
    """A value as YAML on one line."""
    text: str = yaml.safe_dump(list(value) if isinstance(value, tuple) else value, default_flow_style=True, width=1000)
    return text.removesuffix("...\n").strip()


def main() -> None:
    """Write both files."""
    DEFAULT_CONFIG.write_text(default_yaml(), encoding="utf-8")
    SPACE_CONFIG.write_text(space_yaml(), encoding="utf-8")


if __name__ == "__main__":
    main()
