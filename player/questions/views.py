"""Views: the parts of the paragraph that a referee may see while it answers."""

from __future__ import annotations

from typing import Literal, get_args

View = Literal["paragraph", "opening", "passages", "name"]
"""The whole paragraph; its opening sentence; that sentence and some passages of the course, retrieved by the question;
or the book's name and the hint alone."""
VIEWS: tuple[View, ...] = get_args(View)

DESIGN_VIEWS = VIEWS[:2]
"""The views that questions are chosen for; a referee with passages also sees the opening sentence."""
