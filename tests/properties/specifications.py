"""Random whole specifications: every field of the contract, sizes mostly small primes.

Shapes and choices are drawn, numbers come from a drawn seed, so that a failing example shrinks to
few fields and small axes. Fields whose answer is no formula (random weights, dropout) are left out.
"""

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.reference import Sizes

Draw = st.DrawFn
Spec = dict[str, Any]


class Shape(NamedTuple):
    """Drawn axis lengths: N new keys stand behind P cached ones."""

    B: int
    T: int
    N: int
    P: int
    H: int
    K: int
    D: int
    Dv: int

    @property
    def sizes(self) -> Sizes:
        return Sizes(self.B, self.H, self.T, self.P + self.N, self.P)


@st.composite
def shapes(draw: Draw) -> Shape:
    H = draw(st.sampled_from([1, 2, 3, 4, 6]))
    K = draw(st.sampled_from([count for count in range(1, H + 1) if H % count == 0]))
    T = draw(st.sampled_from([1, 2, 3, 5]))
    N = draw(st.one_of(st.just(T), st.sampled_from([1, 2, 3, 5, 7])))
    return Shape(
        B=draw(st.sampled_from([1, 2, 3])),
        T=T,
        N=N,
        P=draw(st.sampled_from([0, 0, 2, 3])),
        H=H,
        K=K,
        D=draw(st.sampled_from([1, 2, 3, 4, 5, 6])),
        Dv=draw(st.sampled_from([1, 2, 3, 5])),
    )


@st.composite
def generators(draw: Draw) -> np.random.Generator:
    return np.random.default_rng(draw(st.integers(0, 2**32 - 1)))


def normal(rng: np.random.Generator, *shape: int) -> NDArray[np.float64]:
    return rng.normal(size=shape)


@st.composite
def specifications(draw: Draw) -> Spec:
    """One valid specification in float64, tensors as NumPy arrays."""
    shape, rng = draw(shapes()), draw(generators())
    from_vectors = draw(st.booleans())
    spec = draw(vectors(shape, rng)) if from_vectors else draw(direct_heads(shape, rng))
    if shape.P:
        spec["past_k"] = normal(rng, shape.B, shape.K, shape.P, shape.D)
        spec["past_v"] = normal(rng, shape.B, shape.K, shape.P, shape.Dv)
    optional = {
        "qk_norm": norms(shape, rng),
        "scale": st.sampled_from([1, 0.5, -0.75, 2.0]),
        "softcap": st.sampled_from([0.5, 2.0, 30.0]),
        "biases": st.lists(biases(shape, rng), max_size=2),
        "masks": st.lists(masks(shape, rng), max_size=3),
        "sinks": st.just(normal(rng, shape.H)),
        "fill": st.sampled_from(["-Infinity", -1e9, -3.0]),
        "mask_order": st.sampled_from(["before_softmax", "after_softmax"]),
        "fully_masked": st.sampled_from(["zero", "nan", "uniform"]),
    }
    if shape.D > 1:
        optional["rope"] = ropes(shape, rng, "memory" in spec)
    for name, strategy in optional.items():
        if draw(st.booleans()):
            spec[name] = draw(strategy)
    return {**spec, "dtype": "float64"}


@st.composite
def vectors(draw: Draw, shape: Shape, rng: np.random.Generator) -> Spec:
    """x, perhaps memory, and a projection that says all of its weights."""
    B, T, N, _, H, K, D, Dv = shape
    E, E_source = draw(st.sampled_from([2, 3, 5])), draw(st.sampled_from([2, 3, 7]))
    spec: Spec = {"num_heads": H, "num_kv_heads": K, "head_dim": D, "value_dim": Dv}
    spec["x"] = normal(rng, B, T, E)
    if N == T and draw(st.booleans()):
        E_source = E
    else:
        spec["memory"] = normal(rng, B, N, E_source)
    if B == 1 and draw(st.booleans()):
        spec["x"] = spec["x"][0]
    spec["projection"] = draw(projections(shape, rng, E, E_source))
    return spec


@st.composite
def projections(
    draw: Draw, shape: Shape, rng: np.random.Generator, width: int, source_width: int
) -> Spec:
    if draw(st.integers(0, 3)) == 0:
        return {"kind": "identity"}
    rows = {"q": shape.H * shape.D, "k": shape.K * shape.D, "v": shape.K * shape.Dv}
    columns = {"q": width, "k": source_width, "v": source_width}
    given: Spec = {"kind": "given"}
    for name, out in rows.items():
        given[f"w_{name}"] = normal(rng, out, columns[name])
        if draw(st.booleans()):
            given[f"b_{name}"] = normal(rng, out)
    if draw(st.booleans()):
        out = draw(st.sampled_from([width, 7]))
        given["w_o"] = normal(rng, out, shape.H * shape.Dv)
        if draw(st.booleans()):
            given["b_o"] = normal(rng, out)
    return given


@st.composite
def direct_heads(draw: Draw, shape: Shape, rng: np.random.Generator) -> Spec:
    spec: Spec = {
        "q": normal(rng, shape.B, shape.H, shape.T, shape.D),
        "k": normal(rng, shape.B, shape.K, shape.N, shape.D),
        "v": normal(rng, shape.B, shape.K, shape.N, shape.Dv),
    }
    if shape.B == 1 and draw(st.booleans()):
        spec = {name: array[0] for name, array in spec.items()}
        if shape.H == 1 and draw(st.booleans()):
            spec = {name: array[0] for name, array in spec.items()}
    return spec


@st.composite
def norms(draw: Draw, shape: Shape, rng: np.random.Generator) -> Spec:
    norm: Spec = draw(st.sampled_from([{}, {"eps": 1e-5}, {"eps": 0.1}])).copy()
    full = draw(st.booleans())
    if draw(st.booleans()):
        norm["q_weight"] = normal(rng, shape.H * shape.D if full else shape.D)
        norm["k_weight"] = normal(rng, shape.K * shape.D if full else shape.D)
    return norm


@st.composite
def ropes(draw: Draw, shape: Shape, rng: np.random.Generator, cross: bool) -> Spec:
    """Positions are given for queries and keys together, or for neither."""
    style = draw(st.sampled_from(["half", "interleaved"]))
    width = 2 * draw(st.integers(1, shape.D // 2))
    if shape.T == shape.N and not cross and draw(st.booleans()):
        angles = normal(rng, draw(st.sampled_from([1, shape.B])), shape.T, width // 2)
        table = np.tile(angles, 2) if style == "half" else np.repeat(angles, 2, axis=-1)
        return {"style": style, "cos": np.cos(table), "sin": np.sin(table)}
    rope: Spec = {"style": style}
    if width != shape.D or shape.D % 2 or draw(st.booleans()):
        rope["dim"] = width
    if draw(st.booleans()):
        rope["base"] = draw(st.sampled_from([7, 100.0, 500000]))
    if draw(st.booleans()):
        rows = draw(st.sampled_from([(), (shape.B,)]))
        rope["positions"] = rng.integers(0, 50, size=(*rows, shape.T))
        rope["key_positions"] = rng.integers(0, 50, size=(*rows, shape.N))
    return rope


@st.composite
def biases(draw: Draw, shape: Shape, rng: np.random.Generator) -> Spec:
    if draw(st.booleans()):
        return {"kind": "matrix", "values": normal(rng, *draw(broadcasts(shape)))}
    slopes = draw(st.sampled_from([None, normal(rng, shape.H)]))
    return {"kind": "alibi"} if slopes is None else {"kind": "alibi", "slopes": slopes}


@st.composite
def broadcasts(draw: Draw, shape: Shape) -> tuple[int, ...]:
    """A shape that broadcasts to [B][H][T][S] by its trailing axes."""
    B, H, T, S, _ = shape.sizes
    full = [draw(st.sampled_from([1, length])) for length in (B, H, T, S)]
    return tuple(full[draw(st.integers(0, 3)) :])


@st.composite
def masks(draw: Draw, shape: Shape, rng: np.random.Generator) -> Spec:
    S = shape.sizes.S
    kinds = ["causal", "padding", "window", "prefix", "matrix"]
    if S == shape.T:
        kinds.append("documents")
    kind = draw(st.sampled_from(kinds))
    if kind == "matrix":
        return draw(matrix_masks(shape, rng))
    if kind == "padding":
        if draw(st.booleans()):
            return {"kind": kind, "lengths": rng.integers(0, S + 1, size=shape.B)}
        return {"kind": kind, "keep": rng.random((shape.B, S)) < 0.6}
    if kind == "documents":
        rows = draw(st.sampled_from([(), (shape.B,)]))
        return {"kind": kind, "ids": rng.integers(0, 3, size=(*rows, S))}
    mask: Spec = {"kind": kind}
    if kind == "window":
        mask["left"] = draw(st.sampled_from([None, 0, 1, 2]))
        mask["right"] = draw(st.sampled_from([None, 0, 1, 2]))
    if kind == "prefix":
        mask["length"] = draw(per_batch(shape, 0, S))
    place = draw(st.sampled_from(["default", "offset", "alignment"]))
    if place == "offset":
        mask["offset"] = draw(per_batch(shape, -2, S))
    if place == "alignment" and kind == "causal":
        mask["alignment"] = draw(st.sampled_from(["top_left", "bottom_right"]))
    return mask


def per_batch(shape: Shape, low: int, high: int) -> st.SearchStrategy[int | list[int]]:
    one = st.integers(low, high)
    return st.one_of(one, st.lists(one, min_size=shape.B, max_size=shape.B))


@st.composite
def matrix_masks(draw: Draw, shape: Shape, rng: np.random.Generator) -> Spec:
    size = draw(broadcasts(shape))
    convention = draw(st.sampled_from(["allowed", "blocked", "additive"]))
    chosen = rng.random(size) < 0.3
    values: NDArray[Any] = chosen if convention == "blocked" else ~chosen
    if convention == "additive":
        values = np.where(chosen, -np.inf, rng.normal(size=size))
    return {"kind": "matrix", "values": values, "convention": convention}
