"""Environment of the HTML templates of the report and of the studio."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def make_environment(folder: Path) -> Environment:
    """Return the environment of the templates in a folder, which escapes values and refuses unknown names."""
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
