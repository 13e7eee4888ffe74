"""Writes configs/default.yaml from the settings (`make settings`)."""

import json

from configs.settings import DEFAULT_CONFIG, SECTIONS, fields

HEAD = "# Every setting, with its range and unit. A file named with --config changes some and leaves the others."
"""First line of the file."""


def format_defaults() -> str:
    """Write each key with its default, and its range and description as a comment."""
    lines = [HEAD]
    for section, kind in SECTIONS.items():
        lines += ["", f"{section}:"]
        for key, field in fields(kind).items():
            comment = field.description
            if field.annotation in (int, float):
                low, high = field.metadata
                comment = f"{low.ge:.9g}..{high.le:.9g}: {comment}"
            pair = f"{key}: {json.dumps(field.default)}"
            lines.append(f"  {pair:25} # {comment}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    DEFAULT_CONFIG.write_text(format_defaults(), encoding="utf-8")
