"""How fast the engine is, as ratios to torch's own functions in the same run.

``make bench BENCH='a b'`` runs some sections; each line says what was measured, the ratio or the
time, and the goal. The machine's speed is in both sides of a ratio, so that its moods fall out.
With ONE_THREAD=1, (a) and (b) are measured on one thread in processor time, which a machine that is
busy with other things disturbs less.
"""

from __future__ import annotations

import http.client
import json
import os
import platform
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from attention import Specification, Window, attend, prepare, row_statistics, view

WIDTH, LONG = 64, 65_536


ONE_THREAD = os.environ.get("ONE_THREAD") == "1"


def main(sections: list[str]) -> None:
    """Print the lines of some sections."""
    if ONE_THREAD:
        torch.set_num_threads(1)
    if sections:
        print(
            f"{os.cpu_count()} cores, {platform.machine()}, torch {torch.__version__},"
            f" {torch.get_num_threads()} threads\n"
        )
    for name in sections:
        with torch.inference_mode():
            SECTIONS[name]()
        print()


def times(*works: Callable[[], Any], rounds: int) -> list[float]:
    """The shortest time of each, in seconds, taken by turns."""
    best = [float("inf")] * len(works)
    clock = time.process_time if ONE_THREAD else time.perf_counter
    for _ in range(rounds):
        for i, work in enumerate(works):
            started = clock()
            result = work()
            best[i] = min(best[i], clock() - started)
            del result
    return best


def line(what: str, value: float, unit: str, goal: float | None, least: bool = False) -> None:
    """One measurement, and whether it is within its goal."""
    verdict = ""
    if goal is not None:
        met = value >= goal if least else value <= goal
        verdict = f"{'at least' if least else 'at most'} {goal:g}: {'yes' if met else 'NO'}"
    print(f"{what:<58}{value:>9.2f} {unit:<6}{verdict}".rstrip(), flush=True)


def whole_results() -> None:
    """(a) Everything kept, against the plain expression and the fused pass."""
    for H in (8, 32):
        for N in (64, 128, 256, 512, 1024, 2048):
            if H * N * N > 2**26:
                continue
            q, k, v = torch.randn(3, 1, H, N, WIDTH)
            causal = torch.ones(N, N, dtype=torch.bool).tril()
            added = torch.zeros(N, N).masked_fill_(~causal, float("-inf"))
            rounds = 40 if H * N * N < 2**21 else 6
            plain, fused, skipping, ours = times(
                lambda q=q, k=k, v=v, m=added: plain_expression(q, k, v, m),
                lambda q=q, k=k, v=v, m=added: F.scaled_dot_product_attention(q, k, v, m),
                lambda q=q, k=k, v=v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
                lambda q=q, k=k, v=v: attend(q=q, k=k, v=v, masks=[{"kind": "causal"}]),
                rounds=rounds,
            )
            name = f"a  result kept, causal, H={H} N={N}:"
            line(f"{name} / plain expression", ours / plain, "x", 0.7 if N >= 512 else None)
            line(
                f"{'':<{len(name)}} / fused with its mask",
                ours / fused,
                "x",
                1.6 if N >= 512 else None,
            )
            line(f"{'':<{len(name)}} / fused, is_causal", ours / skipping, "x", None)


def plain_expression(q: Tensor, k: Tensor, v: Tensor, m: Tensor) -> tuple[Tensor, ...]:
    scores = q @ k.transpose(-2, -1) / WIDTH**0.5 + m
    weights = torch.softmax(scores, -1)
    return scores, weights, weights @ v


def windows() -> None:
    """(b) The full range of one head in 512 × 512 cells, against the fused pass of that head."""
    for N in (4096, 16_384, LONG, 131_072):
        q, k, v = torch.randn(3, 1, 1, N, WIDTH)
        for causal in (False, True):
            if causal and N > LONG:
                continue
            masks = [{"kind": "causal"}] if causal else []
            spec = Specification.of(q=q, k=k, v=v, masks=masks)
            fused, ours = times(
                lambda q=q, k=k, v=v, c=causal: F.scaled_dot_product_attention(
                    q, k, v, is_causal=c
                ),
                lambda spec=spec: view(prepare(spec), Window("weights")),
                rounds=12 if N < 10_000 else 4 if N < 20_000 else 1,
            )
            name = f"b  weights in 512 x 512, N={N:,}{', causal' if causal else ''}"
            line(f"{name}: / fused", ours / fused, "x", 0.75 if causal else 1.0)
    q, k, v = torch.randn(3, 1, 4, 8192, WIDTH)
    task = prepare(Specification.of(q=q, k=k, v=v))
    fused, rows = times(
        lambda: F.scaled_dot_product_attention(q, k, v), lambda: row_statistics(task), rounds=3
    )
    line("b  numbers of the rows of 4 heads, N=8,192: / fused", rows / fused, "x", None)


def long_spec(causal: bool = True) -> dict[str, Any]:
    drawn = {"shape": [LONG, WIDTH], "kind": "waves"}
    spec: dict[str, Any] = {name: {"random": {**drawn, "seed": i}} for i, name in enumerate("qkv")}
    return spec | ({"masks": [{"kind": "causal"}]} if causal else {})


def warm_window() -> None:
    """(c) A zoomed window as a whole request, once its head was seen whole."""
    with served() as (ask, *_):
        for causal in (False, True):
            spec = long_spec(causal)
            first = ask("/api/view?encoding=base64", {"spec": spec, "stage": "weights"})
            waited = []
            for i in range(21):
                a = 1000 * i + 40_000
                body = {
                    "spec": spec,
                    "stage": "weights",
                    "rows": [a, a + 512],
                    "cols": [a - 300, a + 212],
                }
                waited.append(ask("/api/view?encoding=base64", body))
            name = f"c  N={LONG:,}{', causal' if causal else ''}"
            line(f"{name}: first picture", first, "s", None)
            line(f"{name}: zoom to 512 x 512", statistics.median(waited) * 1e3, "ms", 30)


PEAK = "int(next(r.split()[1] for r in open('/proc/self/status') if r.startswith('VmHWM')))"
"""In KB. Not ru_maxrss, which in a new process begins at what its parent had."""


def memory() -> None:
    """(d) The most memory above idle while a long head is drawn."""
    with served() as (ask, process, _):
        ask("/api/view", {"spec": {"x": [[1.0]]}, "stage": "weights"})
        idle = peak(process)
        ask("/api/view?encoding=base64", {"spec": long_spec(), "stage": "weights"})
        inputs = 3 * LONG * WIDTH * 4 / 2**20
        line(
            f"d  peak above idle, N={LONG:,}, inputs {inputs:.0f} MB",
            peak(process) - idle,
            "MB",
            100 + inputs,
        )
    H, N = 8, 2048
    with torch.inference_mode():
        code = (
            "import torch;from attention import attend;"
            f"q,k,v=torch.randn(3,1,{H},64,64);attend(q=q,k=k,v=v,masks=[{{'kind':'causal'}}]);"
            f"q,k,v=torch.randn(3,1,{H},{N},64);"
            f"m=lambda:{PEAK}/1024;b=m();"
            "r=attend(q=q,k=k,v=v,masks=[{'kind':'causal'}]);print(m()-b)"
        )
    environment = {**os.environ, "THP_MEM_ALLOC_ENABLE": "0"}
    used = float(subprocess.check_output([sys.executable, "-c", code], env=environment))
    matrices = 2 * H * N * N * 4 / 2**20
    line(f"d  whole result, H={H} N={N}: / two matrices", used / matrices, "x", 1.1)


def peak(process: subprocess.Popen[bytes]) -> float:
    """The process's largest resident memory so far, in MB."""
    with open(f"/proc/{process.pid}/status") as file:
        return next(int(row.split()[1]) for row in file if row.startswith("VmHWM")) / 1024


def small_request() -> None:
    """(e) Eight tokens, four heads, over HTTP, against a route that does nothing."""
    drawn = torch.randn(400, 8, 16, generator=torch.Generator().manual_seed(0)).tolist()
    with served() as (ask, *_):
        for encoding in ("list", "base64"):
            waited: dict[str, list[float]] = {"empty": [], "ours": []}
            for x in drawn:
                waited["empty"].append(ask("/empty", {}))
                spec = {"x": x, "num_heads": 4}
                waited["ours"].append(ask(f"/api/attention?encoding={encoding}", spec))
            empty, ours = (statistics.median(times[50:]) for times in waited.values())
            line(f"e  N=8 D=16 H=4 as {encoding}: / empty route", ours / empty, "x", 2.5)
    line("e  the empty route itself", empty * 1e3, "ms", None)


def encoding() -> None:
    """(f) Scores and weights of H=8, N=512 to the bytes of an answer."""
    from app.answer import attention_answer

    run = attend(
        q=torch.randn(1, 8, 512, WIDTH),
        k=torch.randn(1, 8, 512, WIDTH),
        v=torch.randn(1, 8, 512, WIDTH),
    )
    size = 2 * 8 * 512 * 512 * 4 / 1e6
    run.steps, run.row_sums  # noqa: B018
    for how in ("base64", "list"):
        (took,) = times(lambda how=how: attention_answer(run, ("scores", "weights"), how), rounds=5)
        line(
            f"f  scores and weights as {how}",
            size / took,
            "MB/s",
            500 if how == "base64" else None,
            least=True,
        )


def growth() -> None:
    """(h) Time and memory of the whole picture of one head against N, as exponents of a fit."""
    lengths = (8192, 16_384, 32_768)
    code = (
        "import sys,time,torch;from attention import *;torch.set_grad_enabled(False);"
        "N=int(sys.argv[1]);q,k,v=torch.randn(3,N,64);s=Specification.of(q=q,k=k,v=v);"
        "view(prepare(Specification.of(q=q[:600],k=k[:600],v=v[:600])),Window('weights'));"
        f"m=lambda:{PEAK};b=m();t=time.perf_counter();view(prepare(s),Window('weights'));"
        "print(time.perf_counter()-t,m()-b)"
    )
    found = []
    for N in lengths:
        out = subprocess.check_output([sys.executable, "-c", code, str(N)], text=True)
        took, kilobytes = map(float, out.split())
        found.append((N, took, kilobytes))
        line(f"h  N={N:,}: whole picture", took, "s", None)
        line(f"{'':<{len(f'h  N={N:,}:')}} memory above the inputs", kilobytes / 1024, "MB", None)
    for what, column in (("time", 1), ("memory", 2)):
        line(f"h  {what} grows as N to the power", exponent(found, column), "", None)


def exponent(found: list[tuple[int, float, float]], column: int) -> float:
    """The slope of a straight line through the logarithms."""
    x, y = (torch.tensor([row[i] for row in found]).double().log() for i in (0, column))
    return float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())


def turns() -> None:
    """(i) The longest turn of the event loop while a request is answered, in processor time."""
    from tests.benchmarks.turns import APPLICATION, longest

    with served(APPLICATION) as (*_, url):
        for name, milliseconds in longest(url):
            line(f"i  longest turn of the loop: {name}", milliseconds, "ms", 1.0)


def application() -> Any:
    """The application with one more route that does nothing."""
    from app.main import create_app

    app = create_app()

    @app.post("/empty")
    async def empty() -> dict[str, str]:
        return {}

    return app


Ask = Callable[[str, dict[str, Any]], float]


class Serving(NamedTuple):
    """A server of its own: how to time one request on one connection in seconds; its address."""

    ask: Ask
    process: subprocess.Popen[bytes]
    url: str


@contextmanager
def served(factory: str = "tests.benchmarks.engine:application") -> Iterator[Serving]:
    """The application that ``factory`` makes, in a process of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        *(sys.executable, "-m", "uvicorn", "--factory", factory),
        *("--port", str(port), "--log-level", "warning"),
    ]
    process = subprocess.Popen(command)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)

    def ask(path: str, body: dict[str, Any]) -> float:
        data, kind = json.dumps(body), {"content-type": "application/json"}
        started = time.perf_counter()
        connection.request("POST", path, data, kind)
        answer = connection.getresponse()
        content = answer.read()
        assert answer.status == 200, content
        return time.perf_counter() - started

    try:
        wait_for(port)
        yield Serving(ask, process, f"http://127.0.0.1:{port}")
    finally:
        connection.close()
        process.terminate()
        process.wait(10)


def wait_for(port: int) -> None:
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(port)


SECTIONS: dict[str, Callable[[], None]] = {
    "a": whole_results,
    "b": windows,
    "c": warm_window,
    "d": memory,
    "e": small_request,
    "f": encoding,
    "h": growth,
    "i": turns,
}
