# SPDX-License-Identifier: Apache-2.0
"""The vectors that every client library passes: sdk/vectors/README.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "vectors"


def vectors(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
