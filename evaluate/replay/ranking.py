"""How deep a game's search ranks the course, beyond the hits that it returns."""

from __future__ import annotations

import numpy as np

from quarry.evaluate.games.labelled import LabelledGame
from quarry.player.player import Player
from quarry.player.search.core import FARTHEST, log_odds_of
from quarry.player.search.types import Query, SearchResult


def ranked(game: LabelledGame, player: Player, result: SearchResult, depth: int) -> dict[str, float]:
    """Log-odds of relevance of the first paragraphs, by paragraph_id: the hits in their order, then the best others.

    Args:
        result: what the search of the game found.
        depth: paragraphs wanted, at least all hits; there are fewer where the strategies found no more.
    """
    depth = max(depth, len(result.hits))
    everything = Query(game.hint, game.book_name, k=max(depth, len(player.orchestrator.paragraphs)))
    found = player.orchestrator.candidates(everything)
    ranking = {hit.paragraph.paragraph_id: log_odds_of(hit.relevance) for hit in result.hits}
    log_odds = found.log_odds
    for row in np.argsort(-log_odds, kind="stable")[: depth + len(ranking)]:
        if len(ranking) >= depth or log_odds[row] <= -FARTHEST:
            break
        ranking.setdefault(found.hits[int(row)].paragraph.paragraph_id, float(log_odds[row]))
    return {paragraph_id: round(score, 6) for paragraph_id, score in ranking.items()}
