"""What a referee may see of the paragraph while it answers."""

from __future__ import annotations

from typing import Literal, get_args

View = Literal["paragraph", "opening", "passages", "name"]
"""All of it; its opening sentence alone; that sentence and a few passages of the course that a question retrieved,
which need not come from the paragraph; or nothing of it but the book's name and the hint, which the player has too."""

VIEWS: tuple[View, ...] = get_args(View)

DESIGN_VIEWS: tuple[View, ...] = ("paragraph", "opening")
"""Those that questions are chosen for. Who sees passages as well can tell what the opening sentence tells, and of the
rest as much as the passages happen to hold."""
