"""The simulated referee: answers multiple-choice questions about a paragraph from their wording alone.

It reads questions by rules of its own and shares nothing with the player but what an answer is, so that a question the
player words badly, or an option it assigns wrongly, costs it here what it would cost it in a game. How much of the
paragraph it sees, how it answers and how often it errs is said by a SPEC: `spec.TERMS`.
"""

from quarry.evaluate.referee.factory import Tools, make_referee, prepare, tools_of
from quarry.evaluate.referee.secret import secret_of
from quarry.evaluate.referee.spec import read_spec, spec_table
from quarry.evaluate.referee.types import N_QUESTIONS, Posed, Referee, Secret

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
