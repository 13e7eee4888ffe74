"""The simulated referee: answers multiple-choice questions about a paragraph from their wording alone.

It reads questions by rules of its own and shares no code with the player, so that a question the player words badly, or
an option it assigns wrongly, costs it here what it would cost it in a game.
"""

from evaluate.referee.encoders import encoder_unlike
from evaluate.referee.noisy import NoisyReferee
from evaluate.referee.oracle import OracleReferee
from evaluate.referee.random import RandomReferee
from evaluate.referee.semantic import SemanticReferee
from evaluate.referee.spec import make_referee
from evaluate.referee.types import NOT_RELEVANT, Referee

__all__ = [
    "NOT_RELEVANT",
    "NoisyReferee",
    "OracleReferee",
    "RandomReferee",
    "Referee",
    "SemanticReferee",
    "encoder_unlike",
    "make_referee",
]
