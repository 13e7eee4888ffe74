"""One-time export of the built-in networks from their packages to ONNX.

The inputs of a graph are token ids; its outputs are unit vectors and states of tokens.
"""

import json
import tempfile
from pathlib import Path

from quarry.embed.four_bits import read_four_bits
from quarry.embed.networks import E5, MINILM, NETWORKS
from quarry.errors import EmbedderError

EXPORT_VERSION = 2
"""Version of the inputs and outputs of an exported graph; folders of other versions are ignored."""


def export_network(spec: str, folder: Path) -> None:
    """Export the network of a SPEC to model.onnx and tokenizer.json in `folder`, both or none.

    Raises:
        EmbedderError: a package is missing or damaged, or the folder cannot be written.
    """
    NETWORKS[spec].path()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".export-", dir=folder.parent) as work:
            new = Path(work) / "export"
            new.mkdir()
            tokenizer = _write(spec, new / "model.onnx")
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


def _write(spec: str, target: Path) -> str:
    """Write the network of a SPEC as an ONNX graph, and return the content of its tokenizer.json."""
    import onnx
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    from quarry.embed.bert_graph import bert_graph

    if spec == E5.spec:
        weights, sizes, tokenizer = read_four_bits(E5.path())
    else:
        source = MINILM.path().parent
        sizes = json.loads((source / "config.json").read_text(encoding="utf-8"))
        try:
            weights = load_file(source / "model.safetensors")
        except SafetensorError as error:
            raise EmbedderError(
                f"{source} holds a damaged model: {error}; run: {MINILM.install} --force-reinstall"
            ) from error
        tokenizer = (source / "tokenizer.json").read_text(encoding="utf-8")
    onnx.save(bert_graph(weights, sizes), target)
    return tokenizer
