"""Every kind of the table passes the contract."""

import pytest

from player.questions.kinds import KINDS, ListKind
from tests.contracts.kind import KindContract


class TestKind(KindContract):
    @pytest.fixture(params=sorted(KINDS))
    def kind(self, request: pytest.FixtureRequest) -> ListKind:
        return KINDS[request.param]
