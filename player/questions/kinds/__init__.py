"""The kinds of questions, each in a file of its own; a new one is that file and its line here."""

from collections.abc import Mapping

from player.questions.kinds import anywhere, beginning, ending, opening
from player.questions.kinds.kind import Kind

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in (opening.KIND, anywhere.KIND, beginning.KIND, ending.KIND)}

__all__ = ["KINDS", "Kind"]
