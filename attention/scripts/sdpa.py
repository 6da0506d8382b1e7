"""The parts of a script around scaled_dot_product_attention."""

from __future__ import annotations

from attention.arrays import as_integers
from attention.masks import Causal
from attention.scripts import weighing
from attention.scripts.draft import Draft
from attention.scripts.scoring import bias_names, biases, dot_products
from attention.scripts.visibility import added_names, masks

MOST_IDENTITY_CELLS = 2**22
CALL = "scaled_dot_product_attention"


def mask(draft: Draft) -> None:
    """``attn_mask`` as the function reads it; a plain causal mask it knows by itself."""
    if knows_causal(draft):
        return
    if draft.spec.biases:
        draft.section("Biases, added to the scores")
    terms = biases(draft)
    masks(draft)
    terms += added_names(draft)
    if not terms:
        return
    draft.section("attn_mask as numbers: they are added to the scores, -inf blocks")
    found = " + ".join(terms)
    if draft.spec.masks:
        found = f"torch.where(allowed, {found}, -torch.inf)"
    draft.put(f"attn_mask = {found}")


def call(draft: Draft) -> None:
    """The call that is what this style is about."""
    draft.functional.add(CALL)
    draft.section("The call")
    if draft.dims.G > 1:
        draft.say("enable_gqa: query head h reads KV head h // G")
    if knows_causal(draft):
        draft.say("is_causal aligns top-left: query 0 sees key 0, also where T and S differ")
    elif draft.spec.masks:
        draft.say("attn_mask: true may be read (nn.MultiheadAttention has it the other way round)")
    draft.say_rounding()
    draft.call("heads", CALL, ["q", "k", "v", *_options(draft)], "B H T Dv")


def weights(draft: Draft) -> None:
    """What the function does not return, by its own hand while that is small."""
    dims = draft.dims
    draft.section("Only to look at: the call returns neither weights nor scores")
    added = "".join(f" + {name}" for name in bias_names(draft))
    dot_products(draft, added)
    if dims.B * dims.H * dims.S**2 > MOST_IDENTITY_CELLS:
        _written_out(draft)
        return
    draft.say("The identity as values mixes nothing, so the same call hands out its weights")
    draft.put("identity = torch.eye(S, dtype=dtype).expand(B, K, S, S)", "B K S S")
    draft.call("weights", CALL, ["q", "k", "identity", *_options(draft)], "B H T S")


def _written_out(draft: Draft) -> None:
    """The weights as the call makes them inside, where identities of S × S would not fit."""
    if knows_causal(draft):
        masks(draft)
    weighing.masked(draft)
    weighing.weights(draft)


def knows_causal(draft: Draft) -> bool:
    """Whether the one mask is causal with query 0 at key 0, and nothing is added."""
    items = draft.spec.masks
    if len(items) != 1 or not isinstance(items[0], Causal) or draft.spec.biases:
        return False
    causal, dims = items[0], draft.dims
    if causal.offset is not None:
        return not as_integers(causal.offset, ()).any()
    start = {"top_left": 0, "bottom_right": dims.S - dims.T}.get(causal.alignment or "", dims.P)
    return start == 0


def _options(draft: Draft) -> list[str]:
    spec = draft.spec
    found = []
    if knows_causal(draft):
        found.append("is_causal=True")
    elif spec.biases or added_names(draft):
        found.append("attn_mask=attn_mask")
    elif spec.masks:
        found.append("attn_mask=allowed")
    if spec.scale is not None:
        found.append(f"scale={float(spec.scale)!r}")
    if draft.dims.G > 1:
        found.append("enable_gqa=True")
    return found
