"""In a checkout the folders also go by their own names: `player` is then `quarry.player` itself, not a second copy."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import InspectLoader, Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType

FOLDERS = ("configs", "ingest", "player", "evaluate")


class _OwnNames(MetaPathFinder, Loader):
    """Finds `player.search` as `quarry.player.search`; what is run with `python -m` is found as ever."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A spec for what quarry has under this name, None for anything else."""
        if fullname.partition(".")[0] not in FOLDERS or fullname.endswith(".__main__"):
            return None
        return ModuleSpec(fullname, self) if importlib.util.find_spec(f"quarry.{fullname}") else None

    def get_code(self, fullname: str) -> CodeType | None:
        """What `python -m configs.generated` runs."""
        spec = importlib.util.find_spec(f"quarry.{fullname}")
        return spec.loader.get_code(spec.name) if spec and isinstance(spec.loader, InspectLoader) else None

    def create_module(self, spec: ModuleSpec) -> None:
        """Import quarry's module, before there is an empty one under the other name that it might import itself."""
        importlib.import_module(f"quarry.{spec.name}")

    def exec_module(self, module: ModuleType) -> None:
        """Put quarry's module in the place of the empty one."""
        sys.modules[module.__name__] = sys.modules[f"quarry.{module.__name__}"]


def give_own_name(folder: str) -> None:
    """Let a folder that is being imported by its own name be quarry's, and so all that is imported from it."""
    if not any(isinstance(finder, _OwnNames) for finder in sys.meta_path):
        sys.meta_path.insert(0, _OwnNames())
    sys.modules[folder] = importlib.import_module(f"quarry.{folder}")
