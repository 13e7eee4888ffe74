from .errors import PlayerError as PlayerError
from .player import Player as Player
from .player import build_player as build_player
from .search.build import build_orchestrator as build_orchestrator
from .search.types import Query as Query
from .search.types import SearchResult as SearchResult
