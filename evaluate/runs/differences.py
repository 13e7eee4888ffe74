"""Differences between the settings of runs, in words."""

from typing import Any

from configs.settings import SECTIONS
from evaluate.runs.run import Run


def describe_differences(first: Run, other: Run) -> str:
    """Return the settings in which a run differs from the first, each as KEY VALUE (value of the first)."""
    changed = []
    for section in SECTIONS:
        before = first.settings.get(section, {})
        for key, value in other.settings.get(section, {}).items():
            if key in before and before[key] != value:
                old, new = _format(before[key]), _format(value)
                changed.append(f"{section}.{key} {new} ({old})")
    return ", ".join(changed) or "no setting"


def _format(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return " + ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if value != "" else "none"
