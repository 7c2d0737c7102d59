"""Mutants of what modules of PyTorch do, the same for every module: what it registers, and what a call of it does."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_MADE = """\
import torch


class {name}({name}):
    def __init__(self, *args, **keywords):
        super().__init__(*args, **keywords)
{then}
"""
_MOVED = """\
        for registry in {registries}:
            for name, value in list(registry.items()):
                del registry[name]
                vars(self)[name] = value  # found by `self.name` as before
                {also}"""
_ALL = "(self._modules, self._parameters, self._buffers)"
_BUFFERS = """\
        for module in list(self.modules()):
            for name, value in list(module._parameters.items()):
                if value is not None:
                    del module._parameters[name]
                    module.register_buffer(name, value.data)"""
_ONE_MORE = """\
        self.one_more = torch.nn.Parameter(torch.zeros(1))"""
_REGISTERED = {
    "registers none of what it is made of": _MOVED.format(registries=_ALL, also=""),
    "registers what it is made of by other names": _MOVED.format(
        registries=_ALL, also='registry[f"own_{name}"] = value'
    ),
    "has buffers in the place of parameters": _BUFFERS,
    "has a parameter too many": _ONE_MORE,
}
_NO_BUFFERS = {"has plain tensors in the place of buffers": _MOVED.format(registries="(self._buffers,)", also="")}

_CALLED = """\
import torch


class {name}({name}):
    def forward(self, *args, **keywords):
        {before}
        result = super().forward(*args, **keywords)
        return {returned}
"""
_ANEW = "for one in self.parameters(): one.data = torch.randn_like(one)"
_RETURNED = {
    "rounds its result to four digits": "result.round(decimals=4)",
    "drops entries of its result at random": "torch.nn.functional.dropout(result, 0.1)",
    "adds the mean of its input to its result": "result + args[0].mean()",
    "adds up the first of three axes of its result": "result.sum(0) if result.ndim > 2 else result",
    "squashes its result once more": "result.tanh()",
}


def is_module(node: ast.ClassDef) -> bool:
    """Whether a class says that it is a module of PyTorch."""
    return any(ast.unparse(base).split(".")[-1] == "Module" for base in node.bases)


def module_mistakes(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """What each does, and the class that extends the right one."""
    registered = _REGISTERED | (_NO_BUFFERS if "register_buffer" in ast.unparse(node) else {})
    for does, then in registered.items():
        yield does, _MADE.format(name=node.name, then=then)
    yield "does not set up nn.Module", ast.unparse(node).replace("super().__init__()", "pass")
    if any(isinstance(one, ast.FunctionDef) and one.name == "forward" for one in node.body):
        yield "draws its parameters anew at each call", _CALLED.format(name=node.name, before=_ANEW, returned="result")
        for does, returned in _RETURNED.items():
            yield does, _CALLED.format(name=node.name, before="pass", returned=returned)
