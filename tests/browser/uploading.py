"""Files for the page, and how they get there and away again."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page

from tests.browser.conftest import link_written, settled

DROP = """([files, target]) => {
  const transfer = new DataTransfer();
  for (const [name, text] of files) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    transfer.items.add(new File([bytes], name));
  }
  const send = (type) => document.querySelector(target).dispatchEvent(
    new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  send("dragenter");
  const veil = !document.getElementById("drop-veil").hidden;
  send("dragover");
  send("drop");
  return veil;
}"""


def npy(path: Path, array: Any) -> Path:
    """An array as a .npy file."""
    np.save(path, array)
    return path


def drop(page: Page, *paths: Path, on: str = "body") -> bool:
    """Drag files over a part of the page and let go; whether the page said that it takes them."""
    files = [[path.name, base64.b64encode(path.read_bytes()).decode()] for path in paths]
    seen: bool = page.evaluate(DROP, [files, on])
    return seen


def bring(page: Page, *paths: Path) -> None:
    """Choose files and wait for the card of the first."""
    page.set_input_files("#file-input", [str(path) for path in paths])
    page.wait_for_selector(f"[data-upload='{digest(paths[0])}'] .file-part")
    settled(page)


def digest(path: Path) -> str:
    """The id that the server gives a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def forget(folder: Path, path: Path) -> None:
    """The server loses an upload, as when its quota is full."""
    forget_upload(folder, digest(path))


def forget_upload(folder: Path, identity: str) -> None:
    """The same, by the id that the server gave it."""
    for kept in folder.glob(f"{identity}.*"):
        kept.unlink()


def computed(page: Page, spec: dict[str, Any], tensor: str) -> Any:
    """A tensor as the API answers it."""
    response = page.request.post(f"/api/attention?include={tensor}", data=spec)
    assert response.ok, response.text()
    return np.array(response.json()["tensors"][tensor], dtype=float)


def on_show(page: Page) -> dict[str, Any]:
    """The specification that the page holds."""
    link_written(page)
    spec: dict[str, Any] = page.evaluate(
        """async () => {
          const { fromFragment } = await import("/static/js/state/link.js");
          const { fromLines } = await import("/static/js/state/kept.js");
          const { toSpec } = await import("/static/js/state/to_spec.js");
          return toSpec(fromLines((await fromFragment(location.hash)).lines).kept.document);
        }"""
    )
    return spec
