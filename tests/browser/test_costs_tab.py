"""The costs below the pictures, against the API's own numbers."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Request

from tests.browser.conftest import link_written
from tests.browser.tabs import answered, example, opened, served

Load = Callable[[str], None]


def column(page: Page, selector: str) -> list[str]:
    return [text.strip() for text in page.locator(selector).all_inner_texts()]


def exact(title: str | None) -> int:
    """The number that a hover shows."""
    digits = (title or "").split(" ")[0].replace(",", "")
    return int(digits)


def test_every_step_has_the_numbers_of_the_api(page: Page, load: Load) -> None:
    load("gqa_8_2")
    opened(page, "costs")
    found = served(page, "costs", {"spec": example(page, "gqa_8_2")})
    rows = page.locator("#costs-steps tr").all()
    assert len(rows) == len(found["steps"])
    for row, step in zip(rows, found["steps"], strict=True):
        assert row.get_attribute("data-step") == step["name"]
        cells = row.locator("td").all()
        assert exact(cells[1].get_attribute("title")) == step["flops"]
        assert cells[2].inner_text() == str(step["shape"])
        assert exact(cells[3].get_attribute("title")) == step["bytes"]
    total = sum(step["flops"] for step in found["steps"])
    assert exact(page.locator("#costs-total td").nth(1).get_attribute("title")) == total
    assert f"N = {found['crossover_length']}" in page.inner_text("#costs-verdict")


def curves(page: Page, figure: str) -> list[Any]:
    found: list[Any] = page.eval_on_selector(
        figure, "g => g.data.map(({x, y}) => [Array.from(x), Array.from(y)])"
    )
    return found


def test_the_curves_are_the_counts_at_each_length(page: Page, load: Load) -> None:
    load("gqa_8_2")
    opened(page, "costs")
    page.select_option("#costs-longest", "64")
    answered(page, "costs")
    lengths, projections = curves(page, "#costs-flops-figure")[0]
    assert lengths[-1] == 64
    found = served(page, "costs", {"spec": example(page, "gqa_8_2"), "lengths": lengths})["curves"]
    parts = [("q", "k", "v", "output"), ("scores", "heads"), ("masked_scores", "weights")]
    for part, (_, values) in zip(parts, curves(page, "#costs-flops-figure"), strict=True):
        assert values == [
            sum(found["flops"][name][i] for name in part) for i in range(len(lengths))
        ]
    fused, materialised = curves(page, "#costs-traffic-figure")
    assert fused[1] == found["traffic"]["fused"]
    assert materialised[1] == found["traffic"]["materialised"]
    assert page.locator("#costs-curves tr").count() == len(lengths)
    assert projections[0] == sum(found["flops"][name][0] for name in parts[0])


def test_the_models_cache_follows_its_fields(page: Page, load: Load) -> None:
    load("gqa_8_2")
    opened(page, "costs")
    for name, value in (("layers", "80"), ("batch", "3"), ("length", "8192")):
        page.fill(f"#costs-{name}", value)
    page.select_option("#costs-dtype", "float16")
    answered(page, "costs")
    cache = {"layers": 80, "batch": 3, "length": 8192, "dtype": "float16"}
    body = {"spec": example(page, "gqa_8_2"), "cache": cache}
    found = served(page, "costs", body)["model_cache"]["bytes"]
    for kind, expected in found.items():
        bar = page.locator(f"#costs-cache [data-kind='{kind}']")
        assert exact(bar.get_attribute("title")) == expected
    assert found["gqa"] == 80 * 3 * 8192 * 2 * (64 + 64) * 2
    assert "25%" in page.inner_text("#costs-cache [data-kind='gqa']")
    page.fill("#costs-layers", "many")
    answered(page, "costs", "error")
    assert "whole number" in page.inner_text("#costs-error")
    page.fill("#costs-layers", "1")
    answered(page, "costs")
    assert not page.is_visible("#costs-error")


def test_nothing_is_asked_while_the_tab_is_closed(page: Page, load: Load) -> None:
    asked: list[str] = []

    def note(request: Request) -> None:
        if request.url.endswith(("/api/costs", "/api/decode", "/api/code")):
            asked.append(request.url.rsplit("/", 1)[1])

    page.on("request", note)
    load("causal_4")
    page.check("#window")
    page.wait_for_timeout(300)
    assert asked == []
    opened(page, "costs")
    page.click("#tab-compare")
    page.uncheck("#window")
    page.wait_for_timeout(300)
    assert asked == ["costs"]
    opened(page, "costs")
    assert asked == ["costs", "costs"], "what was changed meanwhile is asked once it is looked at"


def test_the_fields_stand_in_the_link(page: Page, load: Load) -> None:
    load("gqa_8_2")
    opened(page, "costs")
    page.fill("#costs-length", "777")
    page.select_option("#costs-longest", "131072")
    answered(page, "costs")
    link_written(page)
    link = page.evaluate("location.href")
    other = page.context.new_page()
    other.add_init_script("localStorage.clear()")
    other.goto(link)
    answered(other, "costs")
    assert other.input_value("#costs-length") == "777"
    assert other.input_value("#costs-longest") == "131072"
    assert other.get_attribute("#tab-costs", "aria-selected") == "true"


@pytest.mark.parametrize("name", ["mqa", "cross_3x5", "hand_worked"])
def test_every_kind_of_run_has_costs(page: Page, load: Load, name: str) -> None:
    load(name)
    opened(page, "costs")
    kinds = page.eval_on_selector_all("#costs-cache .byte-bar", "e => e.map((b) => b.dataset.kind)")
    assert kinds[0] == "mha"
    assert "gqa" not in kinds
