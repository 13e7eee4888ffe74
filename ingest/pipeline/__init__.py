"""Files -> store: a look at each, a plan of what happens to it, reading, filing."""

from quarry.ingest.pipeline.outcome import FileOutcome, IngestSummary, rejected_in_all
from quarry.ingest.pipeline.pipeline import ingest
from quarry.ingest.pipeline.sources import expand

__all__ = ["FileOutcome", "IngestSummary", "expand", "ingest", "rejected_in_all"]
