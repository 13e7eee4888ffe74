from .outcome import FileOutcome as FileOutcome
from .outcome import IngestSummary as IngestSummary
from .outcome import rejected_in_all as rejected_in_all
from .pipeline import ingest as ingest
from .sources import expand as expand
