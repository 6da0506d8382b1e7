"""The part of a script that makes the projections' weights: drawn, identities, or given."""

from __future__ import annotations

from collections.abc import Iterator

from attention.projection import GivenProjection, IdentityProjection, RandomProjection
from attention.scripts.draft import Draft

DRAWN = '''
def drawn(stream, shape, width):
    """N(0, 1/width) from a frozen NumPy stream: the same numbers on every machine."""
    numbers = np.random.RandomState([stream, {seed}]).standard_normal(shape)
    return {cast}
'''
WEIGHT_AXES = {"w_q": ("H * D", "E"), "w_k": ("K * D", "M"), "w_v": ("K * Dv", "M"),
               "w_o": ("E", "H * Dv")}  # fmt: skip


def weights(draft: Draft) -> None:
    """The projections' weights and biases."""
    projection = draft.spec.projection or RandomProjection()
    draft.section("Projections: weights are [out][in], as nn.Linear keeps them")
    if isinstance(projection, RandomProjection):
        _random(draft, projection)
    elif isinstance(projection, IdentityProjection):
        _identity(draft)
    else:
        _given(draft, projection)


def _random(draft: Draft, projection: RandomProjection) -> None:
    draft.imports.add("import numpy as np")
    cast = draft.dialect.cast(draft.dialect.from_numpy("numbers / np.sqrt(width)"))
    draft.define("drawn", DRAWN.format(seed=projection.seed, cast=cast))
    for index, (name, out, width) in enumerate(_shapes(draft)):
        rows = f"({out},)"
        draft.put(
            f"{name} = drawn({2 * index}, ({out}, {width}), {width})",
            f"{_axes(out)} {_axes(width)}",
        )
        if projection.bias:
            draft.put(f"b{name[1:]} = drawn({2 * index + 1}, {rows}, {width})", _axes(out))


def _identity(draft: Draft) -> None:
    draft.say("Rectangular identities: q, k and v are the vectors' own first entries")
    for name, out, width in _shapes(draft):
        if name != "w_o":
            made = f"{draft.dialect.module}.eye({out}, {width}, dtype=dtype)"
            draft.put(f"{name} = {made}", f"{_axes(out)} {_axes(width)}")


def _given(draft: Draft, projection: GivenProjection) -> None:
    for name, out, width in _shapes(draft):
        value, bias = getattr(projection, name), "b" + name[1:]
        if value is not None:
            if name == "w_o":
                out = output_axis(draft)
            weight = draft.floats(value, ("projection", name))
            draft.put(f"{name} = {weight}", f"{_axes(out)} {_axes(width)}")
        if getattr(projection, bias) is not None:
            given = draft.floats(getattr(projection, bias), ("projection", bias))
            draft.put(f"{bias} = {given}", _axes(out))


def has(draft: Draft, name: str) -> bool:
    """Whether the run has this weight or bias."""
    found = draft.result.task.weights
    return found is not None and getattr(found, name) is not None


def uses_linear(draft: Draft) -> None:
    """PyTorch has x Wᵀ + b as a function; in NumPy it is written out."""
    if draft.dialect.module == "torch":
        draft.functional.add("linear")


def output_axis(draft: Draft) -> str:
    """The output's width: E, unless w_o leads elsewhere."""
    width = draft.result.output.shape[-1]
    return "E" if width == draft.dims.E else str(width)


def _shapes(draft: Draft) -> Iterator[tuple[str, str, str]]:
    """Each weight's name, number of rows and number of columns, as written."""
    for name, (out, width) in WEIGHT_AXES.items():
        yield name, out, "E" if width == "M" and not draft.dims.cross else width


def _axes(length: str) -> str:
    return length.replace(" * ", "·")
