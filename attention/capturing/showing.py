"""The visualiser's page on a run: served by a process of its own."""

from __future__ import annotations

import atexit
import subprocess
import sys
from html import escape
from importlib.util import find_spec
from pathlib import Path

from attention.errors import AttentionError

HEIGHT = 900


class Shown:
    """A page on show: its address ``url``; it is served until `close`, or this Python ends."""

    def __init__(self, url: str, process: subprocess.Popen[str]) -> None:
        self.url, self._process = url, process
        atexit.register(self.close)

    def close(self) -> None:
        """Stop serving the page."""
        self._process.terminate()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        atexit.unregister(self.close)

    def wait(self) -> None:
        """Serve until interrupted: what a script does that has nothing else left to do."""
        try:
            self._process.wait()
        except KeyboardInterrupt:
            self.close()

    def __repr__(self) -> str:
        return f"Shown({self.url!r})"

    def _repr_html_(self) -> str:
        url = escape(self.url)
        return (
            f'<a href="{url}" target="_blank">{url}</a>'
            f'<iframe src="{url}" title="Attention" width="100%" height="{HEIGHT}"></iframe>'
        )


def show(run: Path, browser: bool | None) -> Shown:
    """Serve the page on a saved run; ``browser`` None opens one outside notebooks alone."""
    if find_spec("app") is None or find_spec("app.opening") is None:
        raise AttentionError(
            "showing a run needs the visualiser's own server",
            expected="pip install attention-visualiser",
        )
    opens = "ipykernel" not in sys.modules if browser is None else browser
    command = [sys.executable, "-m", "app", "open", str(run), *([] if opens else ["--no-browser"])]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    if not url:
        process.stdout.close()
        raise AttentionError(
            "the page could not be served", got=f"exit status {process.wait()} (said above)"
        )
    print(url)
    return Shown(url, process)
