"""Text layers for pages without readable text by ocrmypdf, an optional package that calls the program Tesseract."""

import functools
import importlib.util
import io
import shutil
import subprocess
from collections.abc import Sequence

from ingest.errors import SourceError
from quarry.languages.registry import LANGUAGES
from quarry.terminal import describe_error

REMEDY = (
    "run `make ocr` and `apt-get install tesseract-ocr tesseract-ocr-heb`, "
    "then ingest it again"
)
"""The advice that messages about scanned pages end with."""


@functools.cache
def ocr_languages() -> tuple[str, ...]:
    """Return Tesseract's names of the languages that scans are read in; none if ocrmypdf or Tesseract is missing."""
    has_package = importlib.util.find_spec("ocrmypdf") is not None
    if not has_package or shutil.which("tesseract") is None:
        return ()
    listed = subprocess.run(
        ["tesseract", "--list-langs"], capture_output=True, text=True, check=False
    )
    installed = listed.stdout.split()
    return tuple(each.tesseract for each in LANGUAGES if each.tesseract in installed)


def with_text_layer(content: bytes, pages: Sequence[int]) -> bytes:
    """Make images with a text layer of some pages of a PDF; the other pages stay as they are.

    Args:
        pages: their numbers.

    Raises:
        SourceError: ocrmypdf or Tesseract is not installed, or cannot process the file.
    """
    if not ocr_languages():
        raise SourceError(REMEDY)

    import ocrmypdf

    written = io.BytesIO()
    try:
        ocrmypdf.ocr(
            io.BytesIO(content),
            written,
            language=ocr_languages(),
            pages=",".join(map(str, pages)),
            mode="force",
            deskew=True,
            output_type="pdf",
            optimize=0,
            # a reader is one of several processes, and may be killed with its threads
            jobs=1,
            use_threads=True,
            progress_bar=False,
            invalidate_digital_signatures=True,
        )
    except Exception as error:  # ocrmypdf raises many kinds on odd files
        raise SourceError(f"OCR failed ({describe_error(error)})") from error
    return written.getvalue()
