"""`fit-tokens`: finds the directions in which a model's tokens differ most, which is how their vectors are kept."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from quarry.configs.arguments import settings_of
from quarry.configs.places import to_fit
from quarry.evaluate.commands.command import add_command, require_writable
from quarry.ingest.embed import BUILT_IN, TokenEmbedder
from quarry.ingest.embed.tokens import FORMS, MOST_COMPONENTS, N_COMPONENTS, basis_of
from quarry.ingest.store import open_store


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands,
        "fit-tokens",
        run,
        "fit the compact form of a model's token vectors on the texts of stores; ingest anew afterwards",
        "python -m evaluate fit-tokens --embedder minilm --store data/store",
    )
    command.add_argument("--embedder", required=True, choices=BUILT_IN, help="whose tokens")
    command.add_argument("--store", required=True, action="append", metavar="DIR", help="whose paragraphs; repeatable")
    command.add_argument("--out", type=Path, metavar="FILE.npy", help="where to write (default: ingest's own)")


def run(options: argparse.Namespace) -> int:
    """Fit, write, and print how much of the tokens' vectors is kept."""
    spec: str = options.embedder
    out: Path = options.out or to_fit(FORMS / f"{spec}.npy")
    require_writable(out)
    settings = settings_of(options)
    stores = [open_store(location) for location in options.store]
    embedder = stores[0].models(settings.embed).embedder(spec)
    assert isinstance(embedder, TokenEmbedder)
    states = np.concatenate(
        [embedder.read_passages([paragraph.text for paragraph in store.paragraphs])[1].states for store in stores]
    )
    basis = basis_of(states, N_COMPONENTS.get(spec, MOST_COMPONENTS))
    np.save(out, basis)
    unit = states / np.linalg.norm(states, axis=1, keepdims=True)
    kept = np.square(unit @ basis.astype(np.float32)).sum(axis=1).mean()
    print(
        f"{spec}: {len(states)} tokens, {basis.shape[1]} of {basis.shape[0]} components, which hold {kept:.2f} of them"
    )
    return 0
