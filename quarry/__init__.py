"""Quarry finds one paragraph in a course of lecture PDFs, and proves how well it does.

Importing it does nothing; what a name needs is loaded when the name is first used.
"""

import importlib.util
import sys

if any(importlib.util.find_spec(name) is None for name in ("lazy_loader", "numpy", "yaml")):  # a checkout without them
    print(
        f"the packages of requirements.txt must be installed, {sys.executable} has not got them; "
        "type make play once, and take .venv/bin/python",
        file=sys.stderr,
    )
    sys.exit(2)

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
