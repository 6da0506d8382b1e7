"""``make load`` and ``make soak``: people of `people.py` on a server of this machine alone."""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.app.serving import Served, served
from tests.load.memory import Watch, held

PEOPLE = Path(__file__).with_name("people.py")
SETTLE_SECONDS = 10
IN_A_HURRY = "ATTENTION_LOAD_HURRY"
"""As in people.py, which is not imported: Locust would change the standard library here too."""
SHARE = 0.05
"""By which memory may have grown at the end of a soak."""
Row = dict[str, str]


def crowd(server: Served, options: argparse.Namespace, seconds: int, folder: Path) -> list[Row]:
    """What Locust counted, a row for each kind of request and one for all of them."""
    people, run_time = options.people, options.opening + seconds
    quiet = ["--headless", "--only-summary", "--exit-code-on-error", "0", "--loglevel", "WARNING"]
    size = ["--users", str(people), "--spawn-rate", str(max(1, people // 20))]
    where = ["--host", server.url, "--csv", str(folder / "load")]
    command = [sys.executable, "-m", "locust", "-f", str(PEOPLE), *quiet, *size, *where]
    ended = [*command, "--run-time", f"{run_time}s", "--stop-timeout", "30s"]
    done = subprocess.run(ended, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    with (folder / "load_stats.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def told(rows: list[Row]) -> int:
    """Print them; how many requests failed."""
    times = "".join(f"{name + ' ms':>8}" for name in ("p50", "p95", "p99"))
    print(f"{'':24}{'requests':>9}{'failed':>8}{'a second':>10}{times}")
    for row in rows:
        counts = f"{row['Request Count']:>9}{row['Failure Count']:>8}"
        rate = f"{float(row['Requests/s']):>10.1f}"
        times = "".join(f"{row[name]:>8}" for name in ("50%", "95%", "99%"))
        print(f"{row['Name']:24}{counts}{rate}{times}")
    return int(rows[-1]["Failure Count"])


def mebibytes(count: int) -> str:
    return f"{count / 2**20:.0f} MiB"


def load(server: Served, options: argparse.Namespace, folder: Path) -> bool:
    """A lecture hall; true where nobody was refused anything."""
    before = held(server.process.pid)
    with Watch(server.process.pid) as watch:
        failed = told(crowd(server, options, options.seconds, folder))
    time.sleep(SETTLE_SECONDS)
    after = held(server.process.pid)
    most = mebibytes(watch.most)
    print(f"memory: {mebibytes(before)} before, at most {most}, {mebibytes(after)} after")
    return failed == 0


def soak(server: Served, options: argparse.Namespace, folder: Path) -> bool:
    """The same for long, after a while in which caches fill; true where memory stays."""
    crowd(server, options, options.warm, folder)
    time.sleep(SETTLE_SECONDS)
    before = held(server.process.pid)
    failed = told(crowd(server, options, options.seconds, folder))
    time.sleep(SETTLE_SECONDS)
    after = held(server.process.pid)
    grown = after / before - 1
    print(f"memory: {mebibytes(before)} at the start, {mebibytes(after)} at the end ({grown:+.1%})")
    return failed == 0 and grown <= SHARE


def throughput(server: Served, options: argparse.Namespace, folder: Path) -> bool:
    """How many requests a second are answered where nobody waits; true where all are."""
    os.environ[IN_A_HURRY] = "yes"
    options.opening = 0
    return told(crowd(server, options, options.seconds, folder)) == 0


DEEDS = {"load": load, "soak": soak, "throughput": throughput}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("what", choices=DEEDS)
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument(
        "--opening", type=int, default=60, help="seconds before these in which they come in"
    )
    parser.add_argument("--warm", type=int, default=60, help="seconds before a soak begins")
    parser.add_argument("--workers", type=int, default=1, help="processes of the server")
    options = parser.parse_args()
    print(f"{options.people} people, {options.seconds} s, {options.workers} processes")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with served(folder, "--workers", str(options.workers), processes=options.workers) as server:
            good = DEEDS[options.what](server, options, folder)
    print("passed" if good else "FAILED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
