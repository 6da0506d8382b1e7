import assert from "node:assert/strict";
import { test } from "node:test";

import { bytesText, countText, percentText, wholeText } from "../../static/js/units.js";

test("bytes are in powers of 1024, whole below the first", () => {
  assert.equal(bytesText(0), "0 B");
  assert.equal(bytesText(1023), "1023 B");
  assert.equal(bytesText(1024), "1 KiB");
  assert.equal(bytesText(1536), "1.5 KiB");
  assert.equal(bytesText(1000 * 1024), "1000 KiB");
  assert.equal(bytesText(2 ** 20 - 1), "1 MiB");
  assert.equal(bytesText(2 ** 31), "2 GiB");
  assert.equal(bytesText(2 ** 80), "1048576 EiB");
});

test("counts are in powers of 1000, with three digits", () => {
  assert.equal(countText(999), "999");
  assert.equal(countText(1000), "1 k");
  assert.equal(countText(6_610_000), "6.61 M");
  assert.equal(countText(999_999), "1 M");
});

test("a whole number has its thousands apart, a share its percent", () => {
  assert.equal(wholeText(1234567), "1,234,567");
  assert.equal(percentText(0.125), "12.5%");
  assert.equal(percentText(1), "100%");
  assert.equal(percentText(0.0079), "0.79%");
});
