"""How long the fuzz tests look: a moment in `make test`, FUZZ times as long in `make fuzz`."""

import os

TIMES = float(os.environ.get("FUZZ") or 1)


def examples(count: int) -> int:
    """So many examples, times what the environment asks for."""
    return max(1, round(count * TIMES))
