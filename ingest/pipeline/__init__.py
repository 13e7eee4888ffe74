"""Files -> store: a look at each, a plan of what happens to it, reading, filing."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
