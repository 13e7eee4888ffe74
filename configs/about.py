"""What is known of a setting, written beside it: its default, bounds, unit, and what it is for."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a setting, beside its type and default.

    Attributes:
        says: what it is for.
        low, high: bounds; a name is that of another key of the section, or of one of its properties.
        unit: of a number, "" if it has none.
        tried: low, high and step of what `evaluate tune` tries, () if it leaves the key alone.
    """

    says: str
    low: float | str | None = None
    high: float | str | None = None
    unit: str = ""
    tried: tuple[float, ...] = ()

    @property
    def remark(self) -> str:
        """All of it on one line."""
        if self.low is None:
            return self.says
        bounds = "..".join(f"{end:g}" if not isinstance(end, str) else end for end in (self.low, self.high or 0))
        return f"{f'{self.unit}, ' if self.unit else ''}{bounds}: {self.says}"

    def bounds(self, section: object) -> tuple[float, float] | None:
        """The numbers between which it must lie in a section with these values, None if there are none."""
        if self.low is None or self.high is None:
            return None
        low, high = (getattr(section, end) if isinstance(end, str) else end for end in (self.low, self.high))
        return low, high


def number(
    default: T, low: float | str, high: float | str, says: str, unit: str = "", tried: tuple[float, ...] = ()
) -> T:
    """A field that holds a number; see `About`."""
    return dataclasses.field(default=default, metadata={"about": About(says, low, high, unit, tried)})


def choice(default: T, says: str) -> T:
    """A field that holds a name, a text, a list of names, or yes or no."""
    return dataclasses.field(default=default, metadata={"about": About(says)})


def about(field: dataclasses.Field[Any]) -> About:
    """What was written beside a field."""
    found: About = field.metadata["about"]
    return found
