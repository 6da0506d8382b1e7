"""What the export menu writes, opened and read back."""

import io
import json
import shlex
import struct
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page
from safetensors.numpy import load as load_safetensors

from tests.browser.conftest import drawn
from tests.wire import array

Load = Callable[[str], None]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def menu(page: Page, load: Load) -> Page:
    """The export menu over the example of eight heads in two groups."""
    load("gqa_8_2")
    page.click("#export > summary")
    page.wait_for_function("document.getElementById('export-preview').naturalWidth > 0")
    return page


def saved(page: Page, button: str) -> tuple[str, bytes]:
    """Name and content of the file that a button writes."""
    with page.expect_download() as download:
        page.click(button)
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def choose(page: Page, **fields: str) -> None:
    for name, value in fields.items():
        control = page.locator(f"#export-{name}")
        if control.evaluate("c => c.tagName") == "SELECT":
            control.select_option(value)
        else:
            control.fill(value)


def png_size(content: bytes) -> tuple[int, int]:
    assert content[:8] == b"\x89PNG\r\n\x1a\n" and content[12:16] == b"IHDR"
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def svg_texts(root: ElementTree.Element) -> list[str]:
    return ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]


def served(page: Page, **query: str) -> dict[str, Any]:
    """The API's tensors for the specification on the page."""
    params: dict[str, str | float | bool] = {"encoding": "base64", **query}
    answer = page.request.post(
        "/api/attention", data=json.loads(specification(page)), params=params
    )
    return {name: array(value) for name, value in answer.json()["tensors"].items()}


def specification(page: Page) -> str:
    return saved(page, "#export-spec")[1].decode()


def test_a_png_has_the_width_and_the_resolution_asked_for(menu: Page) -> None:
    choose(menu, picture="weights-figure", width="85", dpi="300")
    name, content = saved(menu, "#export-png")
    assert name.endswith(".png")
    width, _ = png_size(content)
    assert width == pytest.approx(85 / 25.4 * 300, abs=2)
    at = content.index(b"pHYs") + 4
    per_metre, _, unit = struct.unpack(">IIB", content[at : at + 9])
    assert (per_metre, unit) == (11811, 1)


def test_a_png_in_pixels_is_as_wide_as_said(menu: Page) -> None:
    choose(menu, picture="heads-figure", unit="px", width="800", font="12")
    assert png_size(saved(menu, "#export-png")[1])[0] == pytest.approx(800, abs=2)


def test_an_svg_carries_title_labels_bar_and_legend_as_text(menu: Page) -> None:
    choose(menu, picture="weights-figure", heading="Figure 3: <weights>", width="120")
    root = ElementTree.fromstring(saved(menu, "#export-svg")[1])
    assert root.get("width", "").endswith("mm")
    assert float(root.get("width", "").removesuffix("mm")) == pytest.approx(120, abs=0.5)
    texts = svg_texts(root)
    labels = menu.eval_on_selector("#weights-figure", "g => g.layout.yaxis.ticktext")
    for text in ["Figure 3: <weights>", "weights", "masked", "query", "key", "0.2", "1", *labels]:
        assert text in texts, text


def test_the_cells_of_an_svg_are_shapes_in_the_colours_of_the_numbers(menu: Page) -> None:
    choose(menu, picture="weights-figure")
    root = ElementTree.fromstring(saved(menu, "#export-svg")[1])
    assert not list(root.iter(f"{SVG}image"))
    layer = next(g for g in root.iter(f"{SVG}g") if "heatmaplayer" in g.get("class", ""))
    cells = [rect for rect in layer.iter(f"{SVG}rect") if rect.get("fill", "").startswith("rgb")]
    weights = np.array(drawn(menu, "weights-figure"), float)
    masked = np.triu(np.ones_like(weights, dtype=bool), 1).sum()
    assert len(cells) == weights.size + masked
    assert cells[0].get("fill") == "rgb(28,42,102)", "the first query gives its only key weight 1"


def test_hatching_of_masked_cells_is_in_the_picture(menu: Page) -> None:
    for figure in ("weights-figure", "heads-figure"):
        choose(menu, picture=figure)
        source = saved(menu, "#export-svg")[1].decode().replace(" ", "")
        assert "stroke:rgb(139,144,154)" in source, figure


CORNER = """async (bytes) => {
  const picture = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: "image/png" }));
  const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  context.drawImage(picture, 0, 0);
  return Array.from(context.getImageData(1, 1, 1, 1).data);
}"""


@pytest.mark.parametrize(("background", "pixel"), [("white", [255] * 4), ("clear", [0] * 4)])
def test_the_background_is_the_one_chosen(menu: Page, background: str, pixel: list[int]) -> None:
    choose(menu, background=background)
    assert menu.evaluate(CORNER, list(saved(menu, "#export-png")[1])) == pixel


def test_a_dark_page_still_writes_light_pictures_unless_told(menu: Page) -> None:
    choose(menu, picture="weights-figure")
    light = saved(menu, "#export-svg")[1]
    menu.emulate_media(color_scheme="dark")
    assert saved(menu, "#export-svg")[1].count(b"rgb(28,42,102)") == light.count(b"rgb(28,42,102)")
    choose(menu, background="page")
    assert b"rgb(28,42,102)" not in saved(menu, "#export-svg")[1]


def test_the_npz_equals_the_api(menu: Page) -> None:
    name, content = saved(menu, "#export-tensors")
    assert name == "attention.npz"
    archive = np.load(io.BytesIO(content), allow_pickle=False)
    expected = served(menu, include=",".join(archive.files))
    assert set(archive.files) == {*served(menu), "dot_products", "blocked_by"}
    for tensor, values in expected.items():
        np.testing.assert_array_equal(archive[tensor], values)


@pytest.mark.parametrize("form", ["safetensors", "json"])
def test_one_tensor_alone_equals_the_api(menu: Page, form: str) -> None:
    choose(menu, tensor="weights", format=form)
    name, content = saved(menu, "#export-tensors")
    assert name == f"weights.{form}"
    if form == "json":
        found = {key: array(value) for key, value in json.loads(content)["tensors"].items()}
    else:
        found = load_safetensors(content)
    assert set(found) == {"weights"}
    np.testing.assert_array_equal(found["weights"].astype("f4"), served(menu)["weights"])


def test_the_csv_has_a_row_for_every_weight(menu: Page) -> None:
    choose(menu, tensor="weights", format="csv")
    name, content = saved(menu, "#export-tensors")
    assert name == "weights.csv"
    assert len(content.decode().splitlines()) == 1 + served(menu)["weights"].size


def test_the_page_with_the_picture_opens_from_its_file_and_draws(
    menu: Page, context: BrowserContext, tmp_path: Path
) -> None:
    name, content = saved(menu, "#export-html")
    file = tmp_path / name
    file.write_bytes(content)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    page.wait_for_selector("#picture .hm image", state="attached")
    weights = page.evaluate("document.getElementById('picture').data[2].z")
    np.testing.assert_allclose(np.array(weights, float), served(menu)["weights"][0, 0], atol=1e-7)
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert page.locator("#heads button").count() == 8
    assert page.inner_text("#legend") == "masked"
    page.click("#heads button >> nth=5")
    assert page.inner_text("#picture-title") == "Head 5: scores and weights"
    drawn_now = np.array(page.evaluate("document.getElementById('picture').data[2].z"), float)
    np.testing.assert_allclose(drawn_now, served(menu)["weights"][0, 5], atol=1e-7)
    assert hovered(page, 0.1, 0.9)[-1].startswith("weights 0.")
    assert "query 4" in " ".join(hovered(page, 0.1, 0.9))
    assert hovered(page, 0.9, 0.1)[-1] == "weights masked"


def hovered(page: Page, across: float, down: float) -> list[str]:
    """What stands at the pointer over the picture of the weights."""
    box = page.locator("#picture .nsewdrag").nth(1).bounding_box()
    assert box
    page.mouse.move(0, 0)
    page.mouse.move(box["x"] + box["width"] * across, box["y"] + box["height"] * down)
    text = page.locator("#picture .hoverlayer text.nums")
    text.wait_for()
    return [str(line) for line in text.locator("tspan.line").all_text_contents()]


def test_the_specification_reproduces_the_picture(menu: Page) -> None:
    name, content = saved(menu, "#export-spec")
    assert name == "specification.json"
    assert menu.inner_text("#export-says") == "Saved specification.json."
    answer = menu.request.post("/api/attention", data=json.loads(content)).json()
    np.testing.assert_allclose(
        np.array(answer["tensors"]["weights"])[0, 0],
        np.array(drawn(menu, "weights-figure"), float),
        rtol=1e-6,
    )


def test_what_is_copied_is_what_runs(menu: Page, context: BrowserContext) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    spec = json.loads(specification(menu))
    menu.click("#copy-spec")
    menu.wait_for_function("document.getElementById('export-says').textContent !== ''")
    assert json.loads(clipboard(menu)) == spec
    menu.click("#copy-curl")
    command = shlex.split(clipboard(menu))
    assert json.loads(command[-1]) == spec
    assert command[2] == menu.evaluate("location.origin") + "/api/attention"
    menu.click("#copy-python")
    names: dict[str, Any] = {}
    script = clipboard(menu)
    exec(compile(script, "copied", "exec"), names)
    np.testing.assert_allclose(names["run"].weights.numpy(), served(menu)["weights"], atol=1e-6)


def clipboard(page: Page) -> str:
    page.wait_for_timeout(100)
    return str(page.evaluate("navigator.clipboard.readText()"))
