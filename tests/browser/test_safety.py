"""What a browser is told, and that nothing a person brings is ever taken for markup or a script."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.uploading import DROP

HOSTILE = (
    "<img src=x onerror='window.taken=1'>",
    '<a href="javascript:window.taken=2">press</a>',
    "<b>bold</b><br>",
    '"><script>window.taken=3</script>',
    "&lt;i&gt;&amp;",
    "${window.taken=4}",
)
SHORT = ("<b>n</b>", "<br>", "&lt;", "<i>", "<sub>2", "'\">")
"""Short enough to stand whole on an axis."""
WATCH = """() => {
  window.refused = [];
  document.addEventListener("securitypolicyviolation", (event) =>
    window.refused.push(`${event.violatedDirective} ${event.blockedURI}`));
}"""
READY = "document.documentElement.dataset.state === 'ready'"


@pytest.fixture
def strict(browser: Browser, base_url: str) -> Iterator[BrowserContext]:
    """A visitor whose browser holds the page to its policy."""
    context = browser.new_context(
        base_url=base_url, viewport={"width": 1440, "height": 900}, bypass_csp=False
    )
    context.add_init_script(f"({WATCH})()")
    yield context
    context.close()


def until(page: Page, condition: str) -> None:
    """Wait by asking: Playwright's own waiting evaluates text in the page."""
    end = time.monotonic() + 30
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        time.sleep(0.05)


@pytest.fixture
def safe(strict: BrowserContext) -> Iterator[Page]:
    """The page under its policy; afterwards nothing was refused and no error was raised."""
    page = strict.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto("/")
    until(page, READY)
    yield page
    assert errors == []
    assert page.evaluate("window.refused") == []
    assert page.evaluate("window.taken") is None


def apply(page: Page, spec: dict[str, Any]) -> None:
    page.evaluate("document.getElementById('specification').open = true")
    page.fill("#spec-text", json.dumps(spec))
    page.click("#spec-apply")
    until(page, READY)


def labelled(labels: tuple[str, ...], **fields: Any) -> dict[str, Any]:
    x = np.random.default_rng(5).standard_normal((len(labels), 4)).round(2).tolist()
    return {"x": x, "num_heads": 2, "tokens": list(labels), **fields}


def test_the_lesson_keeps_to_the_policy(safe: Page) -> None:
    safe.click("#tab-lesson")
    until(safe, "document.querySelectorAll('#lesson-steps li').length > 0")
    for step in ("by_hand", "scale", "conventions", "sharing", "checklist"):
        safe.click(f"#lesson-steps [data-step='{step}']")
        until(safe, READY)
        until(safe, "document.getElementById('panel-lesson').dataset.answer === 'ready'")


@pytest.mark.parametrize("path", ["/", "/embed", "/docs"])
def test_the_browser_sees_the_headers(strict: BrowserContext, path: str) -> None:
    page = strict.new_page()
    answer = page.goto(path)
    assert answer is not None
    policy = answer.header_value("content-security-policy") or ""
    assert "script-src 'self';" in policy and "unsafe-eval" not in policy
    assert answer.header_value("x-content-type-options") == "nosniff"
    assert ("frame-ancestors 'none'" in policy) == (path != "/embed")


@pytest.mark.parametrize("path", ["/", "/embed", "/docs"])
def test_the_policy_stops_scripts_that_are_not_ours(strict: BrowserContext, path: str) -> None:
    page = strict.new_page()
    page.goto(path)
    page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "window.taken = 1";
          document.body.append(script);
          const picture = document.createElement("div");
          picture.innerHTML = "<img src='data:,' onerror='window.taken = 2'>";
          document.body.append(picture);
          // Later, for what the test itself evaluates is beyond the policy.
          setTimeout(() => {
            try { window.evaluated = eval("1 + 1"); } catch { window.evaluated = "refused"; }
          });
        }"""
    )
    until(page, "window.refused.length >= 2 && window.evaluated !== undefined")
    assert page.evaluate("window.taken") is None
    assert page.evaluate("window.evaluated") == "refused"


def test_the_page_may_not_be_framed_and_the_embedded_pictures_may(
    strict: BrowserContext, browser: Browser, base_url: str
) -> None:
    page = strict.new_page()
    page.goto("/healthz")
    outside = browser.new_context().new_page()
    for path, shown in (("/", False), ("/docs", False), ("/embed", True)):
        outside.set_content(f"<iframe src='{base_url}{path}'></iframe>")
        frame = outside.frames[1]
        frame.wait_for_load_state()
        assert (frame.locator("main").count() > 0) == shown, path
    outside.context.close()


def test_the_page_works_under_its_policy(safe: Page) -> None:
    for name in ("gqa_8_2", "cross_3x5"):
        safe.select_option("#example", name)
        until(safe, READY)
    for tab in ("compare", "decode", "check", "costs", "code", "stability", "readings"):
        safe.click(f"#tab-{tab}")
    safe.select_option("#example", "causal_4")
    safe.click("#tab-decode")
    until(safe, "document.getElementById('panel-decode').dataset.answer === 'ready'")
    safe.select_option("#language", "zh")
    until(safe, READY)
    assert safe.evaluate("document.querySelectorAll('#weights-figure .hm image').length") > 0
    assert safe.evaluate("document.querySelectorAll('.katex').length") > 0


def test_the_api_page_works_under_its_policy(strict: BrowserContext) -> None:
    page = strict.new_page()
    page.goto("/docs")
    until(page, "document.querySelectorAll('.opblock').length > 5")
    assert page.evaluate("window.refused") == []


def test_labels_are_text_wherever_they_stand(safe: Page) -> None:
    for labels in (SHORT, HOSTILE):
        apply(safe, labelled(labels, masks=[{"kind": "causal"}]))
        ticks = safe.locator("#weights-figure .ytick text").all_text_contents()
        assert len(ticks) == len(labels)
        if labels is SHORT:
            assert sorted(ticks) == sorted(labels)
        figures = "#weights-figure, #scores-figure, #heads-figure"
        assert safe.evaluate(f"document.querySelectorAll(':is({figures}) a').length") == 0
        safe.focus("#weights-figure")
        safe.keyboard.press("ArrowDown")
        safe.keyboard.press("Enter")
        for tab in ("compare", "decode", "costs", "code", "stability", "readings", "check"):
            safe.click(f"#tab-{tab}")
            safe.wait_for_timeout(300)
    assert_nothing_was_made(safe)
    assert HOSTILE[0] in (safe.input_value("#spec-text") or "")


def test_an_exported_picture_holds_labels_as_text(safe: Page) -> None:
    apply(safe, labelled(HOSTILE))
    exported = safe.request.post(
        "/api/export", data={"spec": labelled(HOSTILE), "format": "html"}
    ).text()
    assert "<img src=x" not in exported and "<script>window.taken" not in exported


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("<img src=x onerror=window.taken=5>.csv", ".file-card .readings"),
        ("..\\..\\<b>x<b>.csv", "[role=alert]:not([hidden])"),
    ],
    ids=["taken", "refused"],
)
def test_a_file_s_name_and_content_are_text(safe: Page, name: str, place: str) -> None:
    rows = (f'"{label.replace(chr(34), chr(34) * 2)}",1,0.5' for label in HOSTILE)
    table = "\n".join(("token,a,b", *rows))
    safe.evaluate(DROP, [[[name, base64.b64encode(table.encode()).decode()]], "body"])
    until(safe, f"document.querySelector({json.dumps(place)}) !== null")
    until(safe, READY)
    assert name in safe.inner_text("#setup")
    assert_nothing_was_made(safe)


def test_a_refusal_shows_what_was_given_as_text(safe: Page) -> None:
    safe.evaluate("document.getElementById('specification').open = true")
    for spec in ({"x": [[1]], HOSTILE[0]: 1}, {"x": [[1]], "dtype": HOSTILE[0]}):
        safe.fill("#spec-text", json.dumps(spec))
        safe.click("#spec-apply")
        safe.wait_for_timeout(400)
    assert_nothing_was_made(safe)


def test_the_link_s_state_is_text(safe: Page, strict: BrowserContext) -> None:
    apply(safe, labelled(HOSTILE))
    safe.click("#share > summary")
    until(safe, "location.hash.length > 4")
    safe.wait_for_timeout(600)
    other = strict.new_page()
    other.goto("/embed" + safe.evaluate("location.hash"))
    until(other, READY)
    assert_nothing_was_made(other)


def assert_nothing_was_made(page: Page) -> None:
    """No element and no script came out of a text, and the policy had nothing to stop."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("img[src='x'], a[href^='javascript'], main script,"
             + " main b:not([class]), [onerror]")].map((element) => element.outerHTML)"""
    )
    assert found == []
    assert page.evaluate("window.taken") is None
    assert page.evaluate("window.refused") == []
