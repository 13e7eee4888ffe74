from .errors import EvaluateError as EvaluateError
from .games.labelled import LabelledGame as LabelledGame
from .games.labelled import load_games as load_games
from .replay.replay import replay_store as replay_store
