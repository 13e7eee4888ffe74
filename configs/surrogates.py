"""Escapes of JSON and YAML that no UTF-8 file can hold as text."""

import re

HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape that may be half of a surrogate pair, which no UTF-8 file can hold."""
