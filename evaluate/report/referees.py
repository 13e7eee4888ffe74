"""Tables of the player against referees, as the report shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from quarry.evaluate.report.figures import Figure, coloured, finished, reaching, shown_as_text

HINT_ALONE = "the hint alone"


@dataclass(frozen=True, slots=True)
class Table:
    """A table as `quarry.evaluate.runs.table.read_table` reads it.

    Attributes:
        name: the file's, without its suffix.
    """

    name: str
    document: Mapping[str, Any]

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The hint alone, then a line for each referee."""
        return [{**self.document["hint_alone"], "referee": HINT_ALONE}, *self.document["referees"]]


def won_against(tables: Sequence[Table]) -> Figure | None:
    """Share of games won against each referee, with its 95% interval."""
    figure = go.Figure()
    referees = list(dict.fromkeys(line["referee"] for table in tables for line in table.lines))
    for place, table in enumerate(tables):
        lines = [line for line in table.lines if line["won"] is not None]
        figure.add_scatter(
            y=[shown_as_text(line["referee"]) for line in lines],
            x=[line["won"] for line in lines],
            error_x=reaching([line["won"] for line in lines], [line["won_interval"] for line in lines]),
            name=shown_as_text(table.name),
            mode="markers",
            marker={"color": coloured(place), "size": 8},
            hovertemplate="%{y}: %{x:.3f} won",
        )
    figure.update_xaxes(range=[0, 1.02])
    return finished(figure, "share of games won", "", bars=len(referees)) if referees else None
