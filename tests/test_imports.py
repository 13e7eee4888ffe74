"""Imports lead down from floor to floor, and the picture in docs shows them."""

import re
from collections import Counter

from tools import drawings


def shape(picture: str) -> list[str]:
    """Return the rooms and arrows of a picture, without the counts, which change with every import."""
    return re.sub(r'(font-size="11">)\d+<', r"\1<", picture).splitlines()


def test_no_import_leads_up_between_packages() -> None:
    arrows = drawings.count_arrows()
    assert drawings.upward(arrows) == []
    assert {package for package, _ in arrows} == {*drawings.FLOORS[1:]}
    wrong = Counter({("ingest", "player"): 2, ("player", "ingest"): 1})
    assert drawings.upward(wrong) == [("ingest", "player")]


def test_the_picture_shows_the_rooms_and_arrows_that_there_are() -> None:
    drawn = drawings.draw(drawings.count_arrows())
    committed = drawings.PICTURE.read_text("utf-8")
    assert shape(committed) == shape(drawn), "run `make drawing`"
