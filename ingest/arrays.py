"""Arrays by what they hold, one name for each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Float32Array = NDArray[np.float32]
"""Vectors and scores as models give them and stores keep them."""
Float64Array = NDArray[np.float64]
"""Probabilities, log-odds and measures that are added up."""
AnyFloatArray = NDArray[np.floating[Any]]
"""Of either width."""
IntArray = NDArray[np.int64]
RowArray = NDArray[np.intp]
"""Places in another array."""
BoolArray = NDArray[np.bool_]
