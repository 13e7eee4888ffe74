"""The simulated referee: answers multiple-choice questions about a paragraph from their wording alone.

It reads questions by rules of its own and shares nothing with the player but the type of an answer, so that a question
that the player words badly, or an option that the player assigns wrongly, costs as much here as in a game. A SPEC says
how much of the paragraph the referee sees, how it answers and how often it errs: `spec.TERMS`.
"""

from quarry.evaluate.referee.encoders import Tools
from quarry.evaluate.referee.simulated import make_referee, prepare, tools_of
from quarry.evaluate.referee.spec import read_spec, spec_table
from quarry.evaluate.referee.types import N_QUESTIONS, Posed, Referee, Secret, secret_of

__all__ = [
    "N_QUESTIONS",
    "Posed",
    "Referee",
    "Secret",
    "Tools",
    "make_referee",
    "prepare",
    "read_spec",
    "secret_of",
    "spec_table",
    "tools_of",
]
