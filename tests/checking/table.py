"""``python -m tests.checking.table``: each mistake, where it was named, and how long it took."""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time
from typing import Any

import torch

from attention import attend, check
from tests.checking.test_mistakes import MADE, spec_of
from tests.checking.test_pairs import PAIRS, both
from tests.checking.users_layer import Case, Layer


def rows() -> Iterator[tuple[str, type[Layer], Case]]:
    yield from MADE
    for names, one, other, case in PAIRS:
        yield names, both(one, other), case


def main() -> None:
    print("| mistake | made by | rank | causes | tried | what remains | CPU ms |")
    print("|---|---|---|---|---|---|---|")
    for name, layer, case in rows():
        with torch.inference_mode():
            numbers: Any = layer(case)()
            result = attend(**spec_of(case))
            start = process_time()
            found = check(result, numbers)
            spent = (process_time() - start) * 1e3
        names = ["+".join(sorted(cause.mistake.split("+"))) for cause in found.causes]
        wanted = "+".join(sorted(name.split("+")))
        rank = names.index(wanted) + 1 if wanted in names else 0
        made = layer.__name__ if layer.__name__ != "Both" else "two of the above"
        left = found.causes[0].max_abs if found.causes else float("nan")
        cells = (name, made, rank, len(names), found.tried, f"{left:.0e}", f"{spent:.0f}")
        print("|", " | ".join(map(str, cells)), "|")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
