"""What students make of the starter `module`, wrongly: the weights in WEIGHTS_MISTAKES, the module in HEAD_MISTAKES."""

from __future__ import annotations

_MASKED = """
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
"""


def _weights(scores: str, end: str = "return scores.softmax(dim=-1)", masked: str = _MASKED) -> str:
    return f"def attention_weights(q, k, mask=None):\n    scores = {scores}\n{masked}\n    {end}\n"


_SCORES = "q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5"

WEIGHTS_MISTAKES = {
    "not scaled": _weights("q @ k.transpose(-2, -1)"),
    "scaled by the size and not its root": _weights("q @ k.transpose(-2, -1) / q.shape[-1]"),
    "scaled by the length": _weights("q @ k.transpose(-2, -1) / q.shape[-2] ** 0.5"),
    "always scaled by the root of three": _weights("q @ k.transpose(-2, -1) / 3**0.5"),
    "queries and keys in each other's places": _weights("k @ q.transpose(-2, -1) / q.shape[-1] ** 0.5"),
    "softmax of the columns": _weights(_SCORES, "return scores.softmax(dim=-2)"),
    "softmax of the second axis": _weights(_SCORES, "return scores.softmax(dim=1)"),
    "exponentials without a shift": _weights(_SCORES, "e = scores.exp()\n    return e / e.sum(dim=-1, keepdim=True)"),
    "no softmax": _weights(_SCORES, "return scores / scores.sum(dim=-1, keepdim=True)"),
    "the log of the weights": _weights(_SCORES, "return scores.log_softmax(dim=-1)"),
    "the mask the wrong way round": _weights(_SCORES, masked=_MASKED.replace("~mask", "mask")),
    "zeros in the place of minus infinity": _weights(_SCORES, masked=_MASKED.replace("-torch.inf", "0.0")),
    "a penalty of ten": _weights(_SCORES, masked=_MASKED.replace("-torch.inf", "-10.0")),
    "the mask transposed": _weights(_SCORES, masked=_MASKED.replace("~mask", "~mask.T")),
    "masked after the softmax": _weights(
        _SCORES,
        "weights = scores.softmax(dim=-1)\n    return weights if mask is None else weights * mask",
        "",
    ),
    "always the mask of a language model": _weights(
        _SCORES,
        masked="    scores = scores.masked_fill(~torch.ones_like(scores, dtype=torch.bool).tril(), -torch.inf)\n",
    ),
    "in double precision": _weights("(q.double() @ k.double().transpose(-2, -1)) / q.shape[-1] ** 0.5"),
    "without gradients": "@torch.no_grad()\n" + _weights(_SCORES),
    "written into the mask": _weights(
        _SCORES,
        masked="    if mask is not None:\n        scores = scores.masked_fill(mask.logical_not_(), -torch.inf)\n",
    ),
    "by NumPy": "def attention_weights(q, k, mask=None):\n"
    + "    return torch.softmax(torch.tensor(q.numpy() @ k.numpy().swapaxes(-2, -1)), -1)\n",
}

_HEAD = "class Head(Head):\n    def forward(self, x, mask=None):\n"
_OWN_HEAD = "class Head(nn.Module):\n    def __init__(self, channels, size):\n"
_FORWARD = """
    def forward(self, x, mask=None):
        return attention_weights(self.query(x), self.key(x), mask) @ self.value(x)
"""
_THREE = """
        self.query = nn.Linear(channels, size, bias=False)
        self.key = nn.Linear(channels, size, bias=False)
        self.value = nn.Linear(channels, size, bias=False)
"""

HEAD_MISTAKES = {
    "the mask is not handed on": _HEAD
    + "        return attention_weights(self.query(x), self.key(x)) @ self.value(x)\n",
    "queries and keys in each other's places": _HEAD
    + "        return attention_weights(self.key(x), self.query(x), mask) @ self.value(x)\n",
    "keys for values": _HEAD + "        return attention_weights(self.query(x), self.key(x), mask) @ self.key(x)\n",
    "weights for the other places": _HEAD
    + "        return attention_weights(self.query(x), self.key(x), mask).transpose(-2, -1) @ self.value(x)\n",
    "softmax once more": _HEAD
    + "        return attention_weights(self.query(x), self.key(x), mask).softmax(-1) @ self.value(x)\n",
    "the input is added": _HEAD
    + "        out = attention_weights(self.query(x), self.key(x), mask) @ self.value(x)\n"
    + "        return out + x[..., : out.shape[-1]].mean(-1, keepdim=True)\n",
    "the values of the input alone": _HEAD + "        return self.value(x)\n",
    "the weights are returned, too": _HEAD
    + "        weights = attention_weights(self.query(x), self.key(x), mask)\n"
    + "        return weights @ self.value(x), weights\n",
    "nothing is returned": _HEAD + "        attention_weights(self.query(x), self.key(x), mask) @ self.value(x)\n",
    "the values are detached": _HEAD
    + "        return attention_weights(self.query(x), self.key(x), mask) @ self.value(x).detach()\n",
    "no gradient reaches whom it listens to": _HEAD
    + "        return attention_weights(self.query(x), self.key(x), mask).detach() @ self.value(x)\n",
    "the batch is added up": _HEAD
    + "        out = attention_weights(self.query(x), self.key(x), mask) @ self.value(x)\n"
    + "        return out.sum(0) if out.ndim > 2 else out\n",
    "dropout that nobody asked for": _HEAD
    + "        weights = nn.functional.dropout(attention_weights(self.query(x), self.key(x), mask), 0.1)\n"
    + "        return weights @ self.value(x)\n",
    "maps with a bias": _OWN_HEAD + "        super().__init__()" + _THREE.replace(", bias=False", "") + _FORWARD,
    "nn.Module is not set up": _OWN_HEAD + _THREE + _FORWARD,
    "other names": _OWN_HEAD
    + "        super().__init__()"
    + _THREE.replace("self.query", "self.q")
    + _FORWARD.replace("self.query", "self.q"),
    "weights of the other shape": _OWN_HEAD
    + "        super().__init__()"
    + _THREE.replace("channels, size, bias", "size, channels, bias")
    + _FORWARD,
    "a map at the end": _OWN_HEAD
    + "        super().__init__()"
    + _THREE
    + "        self.out = nn.Linear(size, size)\n"
    + _FORWARD.replace("@ self.value(x)", "@ self.out(self.value(x))"),
    "one map for queries and keys": _OWN_HEAD
    + "        super().__init__()"
    + _THREE.replace("self.key = nn.Linear(channels, size, bias=False)", "self.key = self.query")
    + _FORWARD,
    "maps in a list": _OWN_HEAD
    + "        super().__init__()\n        self.maps = [nn.Linear(channels, size, bias=False) for _ in range(3)]\n"
    + "\n    def forward(self, x, mask=None):\n        query, key, value = self.maps\n"
    + "        return attention_weights(query(x), key(x), mask) @ value(x)\n",
    "a size that is built in": _OWN_HEAD + "        super().__init__()" + _THREE.replace("size", "3") + _FORWARD,
    "new maps at each call": _OWN_HEAD
    + "        super().__init__()"
    + _THREE
    + "\n    def forward(self, x, mask=None):\n"
    + "        query = nn.Linear(x.shape[-1], self.query.weight.shape[0], bias=False)\n"
    + "        return attention_weights(query(x), self.key(x), mask) @ self.value(x)\n",
    "one head for all, kept with the class": "_MAPS = {}\n\n\n"
    + _OWN_HEAD
    + "        super().__init__()\n        if not _MAPS:\n"
    + "            for name in ('query', 'key', 'value'):\n"
    + "                _MAPS[name] = nn.Linear(channels, size, bias=False)\n"
    + "        self.query, self.key, self.value = _MAPS.values()\n"
    + _FORWARD,
}
