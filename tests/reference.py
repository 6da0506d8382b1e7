"""The whole specification computed slowly in float64, one scalar formula at a time.

This file imports nothing of the project. It reads a specification whose tensors are numbers, nested
lists or NumPy arrays, and whose projection weights are given, and follows the contract's order:
project, normalise, rotate, cache, dot product, scale, softcap, biases, masks, softmax, times v,
merge, output projection.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Spec = Mapping[str, Any]


class Sizes(NamedTuple):
    """The axis lengths a mask or bias may ask for; P is the length of the cache."""

    B: int
    H: int
    T: int
    S: int
    P: int


def attention(spec: Spec) -> dict[str, Array]:
    """Every tensor of the answer, in float64, under the names of the API."""
    q, k, v = project(spec) if "x" in spec else direct_heads(spec)
    q, k = normalise(q, k, spec.get("qk_norm"))
    past_k, past_v = cache(spec, k, v)
    q, k = rotate(q, k, spec.get("rope"), past_k.shape[2])
    k = np.concatenate([past_k, k], axis=2)
    v = np.concatenate([past_v, v], axis=2)
    sizes = Sizes(q.shape[0], q.shape[1], q.shape[2], k.shape[2], past_k.shape[2])

    dot_products = dots(q, k)
    scores = soft_capped(dot_products * spec.get("scale", 1 / math.sqrt(q.shape[3])), spec)
    for bias in spec.get("biases", []):
        scores = scores + bias_values(bias, sizes)
    allowed = np.ones((sizes.B, sizes.H, sizes.T, sizes.S), dtype=bool)
    added = np.zeros(allowed.shape)
    for mask in spec.get("masks", []):
        apply_mask(mask, sizes, allowed, added)

    masked_scores, weights, logsumexp = softmax(scores + added, allowed, spec)
    heads = mix(weights, v)
    return {
        "q": q,
        "k": k,
        "v": v,
        "dot_products": dot_products,
        "scores": scores,
        "masked_scores": masked_scores,
        "weights": weights,
        "heads": heads,
        "output": merge(heads, spec.get("projection") or {}),
        "allowed": allowed.astype(np.float64),
        "logsumexp": logsumexp,
        "row_sums": weights.sum(axis=3),
    }


def numbers(value: Any) -> Array:
    """Nested lists, perhaps with the strings NaN, Infinity and -Infinity, as float64."""
    if isinstance(value, np.ndarray):
        return value.astype(np.float64)
    return np.array(_floats(value), dtype=np.float64)


def _floats(value: Any) -> Any:
    return [_floats(item) for item in value] if isinstance(value, list | tuple) else float(value)


def leading_axes(array: Array, ndim: int) -> Array:
    return array.reshape((1,) * (ndim - array.ndim) + array.shape)


# ---------------------------------------------------------------- q, k and v


def project(spec: Spec) -> tuple[Array, Array, Array]:
    """q from x; k and v from memory, or from x again; weights are [out][in] as in nn.Linear."""
    x = leading_axes(numbers(spec["x"]), 3)
    source = leading_axes(numbers(spec["memory"]), 3) if "memory" in spec else x
    source = np.broadcast_to(source, (x.shape[0], *source.shape[1:]))
    H = spec.get("num_heads", 1)
    K = spec.get("num_kv_heads", H)
    D = spec.get("head_dim", x.shape[2] // H)
    Dv = spec.get("value_dim", D)
    given = spec["projection"]
    wanted = (("q", x, H, D), ("k", source, K, D), ("v", source, K, Dv))
    q, k, v = (projected(given, name, rows, n, width) for name, rows, n, width in wanted)
    return q, k, v


def projected(given: Spec, name: str, rows: Array, heads: int, width: int) -> Array:
    B, N, E = rows.shape
    if given["kind"] == "identity":
        weight = np.eye(heads * width, E)
    else:
        weight = numbers(given[f"w_{name}"])
    bias = numbers(given.get(f"b_{name}", np.zeros(heads * width)))
    out = np.zeros((B, heads, N, width))
    for b, h, n, d in np.ndindex(out.shape):
        unit = h * width + d
        out[b, h, n, d] = sum(rows[b, n, e] * weight[unit, e] for e in range(E)) + bias[unit]
    return out


def direct_heads(spec: Spec) -> tuple[Array, Array, Array]:
    q, k, v = (leading_axes(numbers(spec[name]), 4) for name in "qkv")
    return q, k, v


def cache(spec: Spec, k: Array, v: Array) -> tuple[Array, Array]:
    if spec.get("past_k") is None:
        return k[:, :, :0], v[:, :, :0]
    return leading_axes(numbers(spec["past_k"]), 4), leading_axes(numbers(spec["past_v"]), 4)


def normalise(q: Array, k: Array, norm: Spec | None) -> tuple[Array, Array]:
    if norm is None:
        return q, k
    eps = norm.get("eps", 1e-6)
    return rms(q, norm.get("q_weight"), eps), rms(k, norm.get("k_weight"), eps)


def rms(heads: Array, weight: Any, eps: float) -> Array:
    """Each head by itself, unless the weight is as long as all heads side by side."""
    B, H, N, D = heads.shape
    gain = np.ones(D) if weight is None else numbers(weight)
    out = np.empty_like(heads)
    for b, n in product(range(B), range(N)):
        if len(gain) == H * D:
            row = heads[b, :, n, :].reshape(-1)
            out[b, :, n, :] = (row / math.sqrt(np.mean(row**2) + eps) * gain).reshape(H, D)
            continue
        for h in range(H):
            row = heads[b, h, n]
            out[b, h, n] = row / math.sqrt(np.mean(row**2) + eps) * gain
    return out


def rotate(q: Array, k: Array, rope: Spec | None, past: int) -> tuple[Array, Array]:
    if rope is None:
        return q, k
    return rotated(q, rope, "positions", past), rotated(k, rope, "key_positions", past)


def rotated(heads: Array, rope: Spec, positions: str, past: int) -> Array:
    B, H, N, D = heads.shape
    cos, sin = rope_tables(rope, positions, past, N, D)
    R = cos.shape[2]
    out = heads.copy()
    for b, h, n, pair in product(range(B), range(H), range(N), range(R // 2)):
        half = rope["style"] == "half"
        first, second = (pair, pair + R // 2) if half else (2 * pair, 2 * pair + 1)
        row, table = heads[b, h, n], b % cos.shape[0]
        c, s = cos[table, n], sin[table, n]
        out[b, h, n, first] = row[first] * c[first] - row[second] * s[first]
        out[b, h, n, second] = row[second] * c[second] + row[first] * s[second]
    return out


def rope_tables(rope: Spec, positions: str, past: int, N: int, D: int) -> tuple[Array, Array]:
    """cos and sin with one column a rotated dimension, [B or 1][N][R]."""
    if rope.get("cos") is not None:
        return leading_axes(numbers(rope["cos"]), 3), leading_axes(numbers(rope["sin"]), 3)
    R, base = rope.get("dim") or D, rope.get("base", 10000)
    given = rope.get(positions)
    places = leading_axes(numbers(given if given is not None else range_list(past, N)), 2)
    angles = np.empty((places.shape[0], N, R))
    for b, n, pair in product(range(places.shape[0]), range(N), range(R // 2)):
        columns = [pair, pair + R // 2] if rope["style"] == "half" else [2 * pair, 2 * pair + 1]
        angles[b, n, columns] = places[b, n] / base ** (2 * pair / R)
    return np.cos(angles), np.sin(angles)


def range_list(start: int, count: int) -> list[int]:
    return list(range(start, start + count))


# ---------------------------------------------------------------- scores


def dots(q: Array, k: Array) -> Array:
    (B, H, T, D), (_, K, S, _) = q.shape, k.shape
    out = np.zeros((B, H, T, S))
    for b, h, t, s in np.ndindex(out.shape):
        out[b, h, t, s] = sum(q[b, h, t, d] * k[b, h // (H // K), s, d] for d in range(D))
    return out


def soft_capped(scores: Array, spec: Spec) -> Array:
    cap = spec.get("softcap")
    return scores if cap is None else cap * np.tanh(scores / cap)


def bias_values(bias: Spec, sizes: Sizes) -> Array:
    B, H, T, S, P = sizes
    if bias["kind"] == "matrix":
        return np.broadcast_to(numbers(bias["values"]), (B, H, T, S))
    slopes = bias.get("slopes")
    slope = published_slopes(H) if slopes is None else list(numbers(slopes))
    out = np.empty((B, H, T, S))
    for b, h, t, s in np.ndindex(out.shape):
        out[b, h, t, s] = -slope[h] * abs(t + P - s)
    return out


def published_slopes(H: int) -> list[float]:
    """Press et al. 2022: powers of 2^(-8/H); other H take the rest from twice as many heads."""
    power = 2 ** math.floor(math.log2(H))
    slopes = [2 ** (-8 * (i + 1) / power) for i in range(power)]
    finer = [2 ** (-8 * (i + 1) / (2 * power)) for i in range(2 * power)]
    return slopes + finer[0::2][: H - power]


# ---------------------------------------------------------------- masks


def apply_mask(mask: Spec, sizes: Sizes, allowed: NDArray[np.bool_], added: Array) -> None:
    """Take away what the mask blocks; an additive matrix also adds its finite numbers."""
    if mask["kind"] != "matrix":
        for b, t, s in cells(sizes):
            allowed[b, :, t, s] &= visible(mask, sizes, b, t, s)
        return
    values = np.broadcast_to(numbers(mask["values"]), allowed.shape)
    if mask["convention"] == "additive":
        blocked = values == -np.inf
        added += np.where(blocked, 0.0, values)
    else:
        blocked = (values == 0) if mask["convention"] == "allowed" else (values != 0)
    allowed &= ~blocked


def cells(sizes: Sizes) -> Iterator[tuple[int, int, int]]:
    return product(range(sizes.B), range(sizes.T), range(sizes.S))


def visible(mask: Spec, sizes: Sizes, b: int, t: int, s: int) -> bool:
    """Whether the query at t may read the key at s, by the contract's table of kinds."""
    kind = mask["kind"]
    if kind == "padding":
        keep = mask.get("keep")
        return s < mask["lengths"][b] if keep is None else bool(numbers(keep)[b, s])
    if kind == "documents":
        ids = leading_axes(numbers(mask["ids"]), 2)
        row = ids[b % ids.shape[0]]
        return bool(row[t] == row[s])
    place = t + mask_offset(mask, sizes, b)
    if kind == "causal":
        return s <= place
    if kind == "prefix":
        return s < per_batch(mask["length"], b) or s <= place
    left, right = mask.get("left"), mask.get("right")
    return (left is None or place - left <= s) and (right is None or s <= place + right)


def mask_offset(mask: Spec, sizes: Sizes, b: int) -> int:
    if mask.get("alignment") is not None:
        return 0 if mask["alignment"] == "top_left" else sizes.S - sizes.T
    offset = mask.get("offset")
    return sizes.P if offset is None else per_batch(offset, b)


def per_batch(value: int | Sequence[int], b: int) -> int:
    return value[b] if isinstance(value, Sequence | np.ndarray) else value


# ---------------------------------------------------------------- weights and output


def softmax(scores: Array, allowed: NDArray[np.bool_], spec: Spec) -> tuple[Array, Array, Array]:
    """Masked scores, weights and the logsumexp of every row."""
    after = spec.get("mask_order", "before_softmax") == "after_softmax"
    fill = float(spec.get("fill", "-Infinity"))
    masked = scores.copy() if after else np.where(allowed, scores, fill)
    weights, logsumexp = np.empty(scores.shape), np.empty(scores.shape[:3])
    sinks = spec.get("sinks")
    for b, h, t in np.ndindex(scores.shape[:3]):
        sink = [] if sinks is None else [float(sinks[h])]
        weights[b, h, t], logsumexp[b, h, t] = softmax_row(list(masked[b, h, t]), sink)
        if after:
            weights[b, h, t] *= allowed[b, h, t]
        if not allowed[b, h, t].any():
            weights[b, h, t] = blind_row(spec.get("fully_masked", "zero"), scores.shape[3])
    return masked, weights, logsumexp


def softmax_row(row: list[float], sink: list[float]) -> tuple[list[float], float]:
    peak = max(row + sink)
    if peak == -math.inf:
        return [math.nan] * len(row), -math.inf
    total = sum(math.exp(entry - peak) for entry in row + sink)
    return [math.exp(entry - peak) / total for entry in row], peak + math.log(total)


def blind_row(policy: str, S: int) -> float:
    return {"zero": 0.0, "nan": math.nan, "uniform": 1 / S}[policy]


def mix(weights: Array, v: Array) -> Array:
    (B, H, T, S), (_, K, _, Dv) = weights.shape, v.shape
    out = np.zeros((B, H, T, Dv))
    for b, h, t, d in np.ndindex(out.shape):
        out[b, h, t, d] = sum(weights[b, h, t, s] * v[b, h // (H // K), s, d] for s in range(S))
    return out


def merge(heads: Array, projection: Spec) -> Array:
    """Heads side by side in each token's row, then the output projection where there is one."""
    B, H, T, Dv = heads.shape
    rows = np.array([[heads[b, :, t, :].reshape(-1) for t in range(T)] for b in range(B)])
    if projection.get("w_o") is None:
        return rows
    weight = numbers(projection["w_o"])
    bias = numbers(projection.get("b_o", np.zeros(weight.shape[0])))
    out = np.zeros((B, T, weight.shape[0]))
    for b, t, e in np.ndindex(out.shape):
        out[b, t, e] = sum(rows[b, t, i] * weight[e, i] for i in range(H * Dv)) + bias[e]
    return out
