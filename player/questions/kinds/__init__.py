"""The kinds of questions, each in a file of its own; a new one is that file and its line here."""

from quarry.player.questions.kinds import anywhere, beginning, ending, opening
from quarry.player.questions.kinds.kind import Kind

_OWN: tuple[Kind, ...] = (opening.KIND, anywhere.KIND, beginning.KIND, ending.KIND)
KINDS: dict[str, Kind] = {kind.name: kind for kind in _OWN}

__all__ = ["KINDS", "Kind"]
