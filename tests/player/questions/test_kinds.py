"""Every kind of the table passes the contract."""

from __future__ import annotations

import pytest

from player.questions.kinds import KINDS, ListKind
from tests.contracts.kind import KindContract


class TestKind(KindContract):
    @pytest.fixture(params=sorted(KINDS))
    def kind(self, request: pytest.FixtureRequest) -> ListKind:
        return KINDS[request.param]


def test_the_shares_of_the_pool_leave_nothing_over() -> None:
    assert 0.9 <= sum(kind.share for kind in KINDS.values()) <= 1.0
