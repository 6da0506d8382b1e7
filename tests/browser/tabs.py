"""What the tests of the tabs below the pictures share."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page


def opened(page: Page, tab: str, state: str = "ready") -> None:
    """Open a tab and wait until what it shows belongs to what is set."""
    page.click(f"#tab-{tab}")
    answered(page, tab, state)


def answered(page: Page, tab: str, state: str = "ready") -> None:
    """Wait until a tab's answer belongs to what is set; a question is asked with the change."""
    page.wait_for_function(
        "([tab, state]) => document.getElementById(`panel-${tab}`).dataset.answer === state",
        arg=[tab, state],
        timeout=15_000,
    )


def example(page: Page, name: str) -> dict[str, Any]:
    """A ready specification."""
    examples = page.request.get("/api/examples").json()["examples"]
    found: dict[str, Any] = next(e["spec"] for e in examples if e["name"] == name)
    return found


def served(page: Page, route: str, body: dict[str, Any]) -> dict[str, Any]:
    """The API's own answer."""
    answer = page.request.post(f"/api/{route}", data=body)
    assert answer.ok, answer.text()
    found: dict[str, Any] = answer.json()
    return found
