"""Plug-in packages made on the fly: kinds come in through entry points, the way a third party's would."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

GROUPS = ("users", "systems", "judges", "protocols", "models")


def write_plugin(folder: Path, source: str, **kinds: Mapping[str, str]) -> Path:
    """Write a module and the metadata that an installer would leave beside it.

    The folder must then be on `sys.path` (`monkeypatch.syspath_prepend`, or PYTHONPATH of another process).

    Args:
        folder: Where to put both; made if need be.
        source: The module's code.
        kinds: For each of `GROUPS`: name of the attribute by name of the kind, as in `judges={"stern": "Stern"}`.

    Returns:
        The folder.
    """
    if strangers := set(kinds) - set(GROUPS):
        raise ValueError(f"no such groups: {sorted(strangers)}")
    source = dedent(source)
    module = f"plugin_{hashlib.blake2b(source.encode(), digest_size=6).hexdigest()}"  # no two tests share one
    metadata = folder / f"{module}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", encoding="utf-8")
    lines = []
    for group, names in kinds.items():
        lines.append(f"[mysteryshopper.{group}]")
        lines += [f"{kind} = {module}:{attribute}" for kind, attribute in names.items()]
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder
