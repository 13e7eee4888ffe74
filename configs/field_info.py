"""What is known of a number among the settings, written beside it: its range, its unit, and what is tuned of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import Field
from pydantic.fields import FieldInfo

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a number, beside its type, its default and what it is for.

    Attributes:
        low, high: bounds; a name is that of another key of the section, or of one of its properties.
        unit: "" if it has none.
        tried: low, high and step of what `evaluate tune` tries, () if it leaves the key alone.
    """

    low: float | str
    high: float | str
    unit: str = ""
    tried: tuple[float, ...] = ()

    def __str__(self) -> str:
        bounds = "..".join(end if isinstance(end, str) else f"{end:g}" for end in (self.low, self.high))
        return f"{self.unit}, {bounds}" if self.unit else bounds

    @property
    def is_fixed(self) -> bool:
        """Whether no other key moves its bounds."""
        return not isinstance(self.low, str) and not isinstance(self.high, str)

    def bounds(self, section: object) -> tuple[float, float]:
        """The numbers between which it must lie in a section with these values."""
        low, high = (getattr(section, end) if isinstance(end, str) else end for end in (self.low, self.high))
        return low, high


def number(default: T, low: float | str, high: float | str, unit: str = "", tried: tuple[float, ...] = ()) -> T:
    """A field that holds a number; see `About`. Bounds that other keys move are looked at by the section."""
    known = About(low, high, unit, tried)
    limits: dict[str, Any] = {"ge": low, "le": high} if known.is_fixed else {}
    field: Any = Field(default, **limits)
    field.metadata.append(known)
    found: T = field
    return found


def about(field: FieldInfo) -> About | None:
    """What was written beside a field; None where it is no number."""
    return next((known for known in field.metadata if isinstance(known, About)), None)


def fields(kind: type[Any]) -> dict[str, FieldInfo]:
    """What is known of each key of a section, in order."""
    found: dict[str, FieldInfo] = kind.__pydantic_fields__
    return found
