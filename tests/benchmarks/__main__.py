"""``make bench``: (a) to (f), (h) and (i) of the engine, (g) of the page; or some of them."""

import os
import sys

# As `python -m app` does, before torch is imported.
os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")

from tests.benchmarks import engine


def main(sections: list[str]) -> None:
    unknown = sorted(set(sections) - {*engine.SECTIONS, "g"})
    if unknown:
        sys.exit(f"no section {', '.join(unknown)}: there are {', '.join(engine.SECTIONS)}, g")
    engine.main([name for name in sections if name != "g"] if sections else list(engine.SECTIONS))
    if not sections or "g" in sections:
        from tests.benchmarks import page

        page.main()


if __name__ == "__main__":
    main(sys.argv[1:])
