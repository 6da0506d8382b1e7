import assert from "node:assert/strict";
import { test } from "node:test";

import { defaults, fromLines, keptOf, stateOf, toLines } from "../../static/js/state/kept.js";
import { checksum, fromFragment, toFragment } from "../../static/js/state/link.js";
import { setPath } from "../../static/js/state/paths.js";

/** @param {Record<string, unknown>} changes */
const changed = (changes) => Object.entries(changes).reduce((kept, [path, value]) => setPath(kept, path, value), defaults());

const RICH = changed({
  "document.masks.causal.on": true,
  "document.masks.drawn.allowed": [[true, false], [true, true]],
  "document.settings.scale.value": "0.125",
  "document.input.sequences": [{ tokens: [{ label: "the", cells: ["1", "-0.5e"] }, { label: "注意", cells: ["0", "∞"] }], memory: [] }],
  "document.also": { biases: [{ kind: "alibi", slopes: [0.5] }] },
  "view.theme": "dark",
  "view.head": 3,
  cell: { query: 2, key: 1 },
});

test("the defaults need no line at all", () => {
  assert.equal(toLines(defaults()), "");
  assert.deepEqual(fromLines(""), { kept: defaults(), unread: [] });
});

test("only what differs is written", () => {
  assert.equal(toLines(changed({ "view.head": 3 })), '["view.head",3]');
});

test("everything comes back through lines", () => {
  assert.deepEqual(fromLines(toLines(RICH)), { kept: RICH, unread: [] });
});

test("everything comes back through a fragment of letters that need no escaping", async () => {
  const fragment = await toFragment(toLines(RICH));
  assert.match(fragment, /^#v1=[\w-]+$/);
  const read = await fromFragment(fragment);
  assert.equal(read?.fault, "");
  assert.deepEqual(fromLines(read?.lines ?? ""), { kept: RICH, unread: [] });
});

test("a pinned cell is kept and a passing cursor is not", () => {
  const cursor = { query: 2, key: 1 };
  const state = { ...defaults(), cursor, pinned: true };
  assert.deepEqual(keptOf(state).cell, cursor);
  assert.equal(keptOf({ ...state, pinned: false }).cell, null);
  assert.deepEqual(stateOf(keptOf(state)).cursor, cursor);
});

test("what cannot be read is named, and the rest stays", () => {
  const lines = ['["view.head",2]', '["view.theme","pink"]', '["view.nothing",1]', '["document.masks.causal.on","yes"]', '["document.input.sequences",[]]', '["document.settings.dtype"'];
  const { kept, unread } = fromLines(lines.join("\n"));
  assert.deepEqual(kept, changed({ "view.head": 2 }));
  assert.deepEqual(unread, ["view.theme", "view.nothing", "document.masks.causal.on", "document.input.sequences", "document.settings.dtype"]);
});

test("names of every object are no paths", () => {
  assert.deepEqual(fromLines('["__proto__.polluted",true]\n["constructor",1]').unread, ["__proto__.polluted", "constructor"]);
  assert.equal(/** @type {any} */ ({}).polluted, undefined);
});

test("rows of different lengths are no grid", () => {
  const ragged = [{ tokens: [{ label: "", cells: ["1"] }, { label: "", cells: ["1", "2"] }], memory: [] }];
  assert.deepEqual(fromLines(JSON.stringify(["document.input.sequences", ragged])).unread, ["document.input.sequences"]);
});

test("heads given directly need no memory, though their keys have labels of their own", () => {
  const cross = changed({ "document.input.kind": "heads", "document.input.cross": true, "document.masks.drawn.on": true });
  assert.deepEqual(fromLines(toLines(cross)), { kept: cross, unread: [] });
});

test("crossing without a memory is no input", () => {
  const { kept, unread } = fromLines('["document.input.cross",true]');
  assert.equal(kept.document.input.cross, false);
  assert.deepEqual(unread, ["document.input"]);
});

test("what belongs to the input goes with it, what does not stays", () => {
  const lines = ['["document.heads.num_heads","8"]', '["document.masks.drawn.allowed",[[true]]]', '["document.masks.causal.on",true]', '["document.input.sequences",[{"tok'];
  const { kept, unread } = fromLines(lines.join("\n"));
  assert.deepEqual(kept, changed({ "document.masks.causal.on": true }));
  assert.deepEqual(unread, ["document.input.sequences"]);
});

test("of a link that was cut off before its input, the input is named as lost", () => {
  assert.deepEqual(fromLines('["document.heads.num_heads","8"]', true), { kept: defaults(), unread: ["document.input"] });
});

test("a link of another version says so", async () => {
  assert.deepEqual(await fromFragment("#v2=abcd"), { lines: "", fault: "version" });
});

test("a link of which nothing can be read says so", async () => {
  assert.deepEqual(await fromFragment("#v1=%%%"), { lines: "", fault: "lost" });
  assert.deepEqual(await fromFragment("#v1="), { lines: "", fault: "lost" });
});

test("a fragment that names a place on the page is no link", async () => {
  assert.equal(await fromFragment("#pictures"), null);
  assert.equal(await fromFragment(""), null);
});

test("a link that was cut off keeps its short lines", async () => {
  const fragment = await toFragment(toLines(RICH));
  const read = await fromFragment(fragment.slice(0, -40));
  assert.equal(read?.fault, "cut");
  const { kept, unread } = fromLines(read?.lines ?? "");
  assert.equal(kept.view.head, 3);
  assert.equal(kept.view.theme, "dark");
  assert.equal(unread.length, 1);
});

test("no cut and no changed letter of a link passes for whole", async () => {
  const fragment = await toFragment(toLines(RICH));
  for (let length = 4; length < fragment.length; length += 1) {
    assert.notEqual((await fromFragment(fragment.slice(0, length)))?.fault, "", `cut to ${length}`);
  }
  for (let place = 4; place < fragment.length - 1; place += 7) {
    const letter = fragment[place] === "A" ? "B" : "A";
    const read = await fromFragment(fragment.slice(0, place) + letter + fragment.slice(place + 1));
    assert.notEqual(read?.fault, "", `letter ${place}`);
    fromLines(read?.lines ?? "");
  }
});

test("the checksum is FNV-1a", () => {
  assert.equal(checksum(""), "811c9dc5");
  assert.equal(checksum("a"), "e40c292c");
  assert.equal(checksum("foobar"), "bf9cf968");
});
