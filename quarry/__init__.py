"""Quarry finds one paragraph in a course of lecture PDFs, and proves how well it does.

Importing it does nothing; what a name needs is loaded when the name is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
