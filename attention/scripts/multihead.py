"""The parts of a script around nn.MultiheadAttention."""

from __future__ import annotations

from attention.masks import Padding
from attention.scripts.draft import Draft
from attention.scripts.heads import split
from attention.scripts.projections import has
from attention.scripts.scoring import bias_names, biases, dot_products
from attention.scripts.visibility import added_names, masks

LETTERS = "qkv"


def mask(draft: Draft) -> None:
    """The two masks of the module: true is blocked, or numbers to add."""
    if draft.spec.biases:
        draft.section("Biases, added to the scores")
    terms = biases(draft)
    masks(draft)
    terms += added_names(draft)
    if not draft.spec.masks and not terms:
        return
    draft.section("Masks as the module reads them")
    if terms:
        found = " + ".join(terms)
        if draft.spec.masks:
            found = f"torch.where(allowed, {found}, -torch.inf)"
        draft.put(f"added = {found}")
        draft.say("Numbers are added to the scores, one matrix for each sequence and head")
        draft.put("attn_mask = added.expand(B, H, T, S).reshape(B * H, T, S)", "B·H T S")
    elif _only_padding(draft):
        draft.say("true is a filled-up key, which is not seen")
        keys = "~allowed.reshape(B, S)"
        draft.put(f"key_padding_mask = {keys}", "B S")
    else:
        draft.say("true is blocked (scaled_dot_product_attention has it the other way round)")
        draft.put("attn_mask = ~allowed.expand(B, H, T, S).reshape(B * H, T, S)", "B·H T S")


def module(draft: Draft) -> None:
    """The module with the weights copied into it."""
    bias = _has_bias(draft)
    if bias:
        _fill_biases(draft)
    if not has(draft, "w_o"):
        draft.say("The module always projects its output; the identity leaves it as it is")
        draft.put("w_o = torch.eye(E, dtype=dtype)", "E E")
    draft.section("The module, with the weights copied")
    width = "M" if draft.dims.cross else "E"
    widths = [f"kdim={width}", f"vdim={width}"] if width == "M" else []
    options = ["E", "H", f"bias={bias}", *widths, "batch_first=True", "dtype=dtype"]
    draft.call("mha", "nn.MultiheadAttention", options)
    draft.imports.add("from torch import nn")
    draft.put("mha.requires_grad_(False)")
    if draft.dims.E_mem == draft.dims.E:
        draft.put("mha.in_proj_weight.copy_(torch.cat([w_q, w_k, w_v]))", "3·E E")
    else:
        for letter in LETTERS:
            draft.put(f"mha.{letter}_proj_weight.copy_(w_{letter})")
    draft.put("mha.out_proj.weight.copy_(w_o)", "E E")
    if bias:
        draft.put("mha.in_proj_bias.copy_(torch.cat([b_q, b_k, b_v]))", "3·E")
        draft.put("mha.out_proj.bias.copy_(b_o)", "E")


def call(draft: Draft) -> None:
    """The call; the module averages its weights over the heads unless it is told not to."""
    source = "memory" if draft.dims.cross else "x"
    options = ["average_attn_weights=False"]
    if draft.spec.biases or added_names(draft) or (draft.spec.masks and not _only_padding(draft)):
        options.insert(0, "attn_mask=attn_mask")
    elif draft.spec.masks:
        options.insert(0, "key_padding_mask=key_padding_mask")
    draft.say_rounding()
    draft.say("Weights of each head: by default the module returns their average")
    draft.call("output, weights", "mha", ["x", source, source, *options])


def scores(draft: Draft) -> None:
    """What the module does not return."""
    draft.section("Only to look at: the scores inside, before the mask")
    split(draft, ("q", "k"))
    added = "".join(f" + {name}" for name in bias_names(draft))
    dot_products(draft, added)


def _only_padding(draft: Draft) -> bool:
    return all(isinstance(mask, Padding) for mask in draft.spec.masks)


def _has_bias(draft: Draft) -> bool:
    return any(has(draft, f"b_{letter}") for letter in "qkvo")


def _fill_biases(draft: Draft) -> None:
    missing = [letter for letter in "qkvo" if not has(draft, f"b_{letter}")]
    if missing:
        draft.say("The module has every bias or none; those that are not given are 0")
    for letter in missing:
        draft.put(f"b_{letter} = torch.zeros(E, dtype=dtype)", "E")
