"""The commands of `python -m evaluate`, one a module: `add` names its arguments, and what it sets as `run` does it."""
