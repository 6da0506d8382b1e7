"""From 65,536 tokens to single pairs, recorded as stills.

The record is in ``test-results/length``: the first strips, everything, a still of each zoom, and
the pairs with the inspector. The example's q and k are waves by the README's formula, drawn here
once more, and the last picture's weights are computed from them in float64.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Page, expect

from tests.browser.test_length import PATIENCE_MS, numbers, shown, weights_of

RECORD = Path("test-results/length")
N, D = 65_536, 16


def waves() -> NDArray[np.float64]:
    """√2·cos(2π(t/λ + φ)), λ log-uniform from 8 to N and φ uniform, both from seed 0."""
    random = np.random.RandomState(0)
    lengths = 8 * (N / 8) ** random.random_sample(D)
    phases = random.random_sample(D)
    found = np.sqrt(2) * np.cos(2 * np.pi * (np.arange(N)[:, None] / lengths + phases))
    wide: NDArray[np.float64] = found.astype(np.float32).astype(float)
    return wide


def patiently(page: Page) -> None:
    ready = "document.documentElement.dataset.state === 'ready'"
    page.wait_for_function(ready, timeout=PATIENCE_MS)


def test_zooming_from_65536_tokens_to_single_pairs(page: Page) -> None:
    def still(name: str) -> None:
        page.locator("#length").screenshot(path=RECORD / f"{name}.png")

    page.set_default_timeout(PATIENCE_MS)
    page.click("#setup-toggle")
    page.select_option("#example", "long_causal")
    expect(page.locator("#length-strips")).to_contain_text("strips", timeout=PATIENCE_MS)
    still("00-strips")
    patiently(page)
    still("01-everything")
    says = page.locator("#length-says")
    for zoom in range(2, 15):
        page.click("#length-in")
        patiently(page)
        page.wait_for_timeout(200)
        still(f"{zoom:02}-nearer")
        if zoom > 8 and "every cell is one pair" in says.inner_text():
            break
    while shown(page)[0][1] - shown(page)[0][0] > 8:
        page.click("#length-in")
        patiently(page)
    (a, b), (c, d) = shown(page)
    values = waves()
    rows = weights_of(values[a:b], values, a)
    # 65,536 float32 exponentials are summed for each row.
    np.testing.assert_allclose(numbers(page), rows[:, c:d], rtol=2e-4)
    page.evaluate("document.getElementById('length-table').open = false")
    page.focus("#length-frame")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#inspector-profile-says")).to_contain_text("max over 1 × 256 cells")
    page.wait_for_timeout(500)
    still("15-pairs")
    page.locator("#inspector").screenshot(path=RECORD / "16-inspected.png")
