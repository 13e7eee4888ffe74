"""Types of NumPy arrays by their contents."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Float32Array = NDArray[np.float32]
"""Vectors and scores, in the precision of models and stores."""
Float64Array = NDArray[np.float64]
"""Probabilities, log-odds and sums."""
AnyFloatArray = NDArray[np.floating[Any]]
"""Floating-point numbers of any precision."""
IntArray = NDArray[np.int64]
"""Counts and numbers."""
RowArray = NDArray[np.intp]
"""Indices into another array."""
BoolArray = NDArray[np.bool_]
