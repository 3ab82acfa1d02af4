"""Answers programs: one JSON list of lines per line of input, one JSON list of answers per line of output.

    python test/fuzz/pytorch.py < programs > answers

An answer tells what a statement made: its tensors by path, each with shape, stride, offset, dtype, the number of its storage
and of its object; equal numbers are the very same. A statement that raises is the last that is answered.
"""

import ast
import importlib
import json
import math
import operator
import signal
import sys
import warnings

import torch

def library(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


LIBRARIES = {name: module for name in ("einops", "torchvision") if (module := library(name))}
library("einops.layers.torch")
SECONDS = 10


def namespace():
    return {
        "torch": torch,
        "nn": torch.nn,
        "F": torch.nn.functional,
        "math": math,
        "operator": operator,
        **LIBRARIES,
    }


class Seen:
    """Numbers for objects and storages, which are kept so that no address is used twice."""

    def __init__(self):
        self.objects, self.storages, self.kept = {}, {}, []

    def tensor(self, path, x):
        storage = x.untyped_storage()
        self.kept += [x, storage]
        return {
            "path": path,
            "shape": list(x.shape),
            "stride": list(x.stride()),
            "offset": x.storage_offset(),
            "dtype": str(x.dtype)[6:],
            "storage": self.storages.setdefault(storage._cdata, len(self.storages)),
            "object": self.objects.setdefault(id(x), len(self.objects)),
        }

    def tensors(self, path, value):
        if isinstance(value, torch.Tensor):
            return [self.tensor(path, value)]
        if isinstance(value, (tuple, list)):
            return [row for i, item in enumerate(value) for row in self.tensors(f"{path}[{i}]", item)]
        return []


def run(line, names):
    """Runs a statement. Its value, or None where it has none of its own."""
    [node] = ast.parse(line).body
    if isinstance(node, ast.Expr):
        return eval(line, names)
    exec(line, names)
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    return names[target.id] if isinstance(target, ast.Name) else None


def answer(lines):
    torch.manual_seed(0)
    torch.set_grad_enabled(True)
    names, seen, answers = namespace(), Seen(), []
    for line in lines:
        try:
            answers.append({"tensors": seen.tensors("", run(line, names))})
        except Exception as error:
            answers.append({"raises": type(error).__name__, "message": str(error).strip().split("\n")[0][:200]})
            break
    return answers


def too_long(*_):
    raise TimeoutError("takes too long")


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    print(json.dumps({"torch": torch.__version__, "libraries": list(LIBRARIES)}), flush=True)
    signal.signal(signal.SIGALRM, too_long)
    for line in sys.stdin:
        signal.alarm(SECONDS)
        print(json.dumps(answer(json.loads(line)), separators=(",", ":")), flush=True)
        signal.alarm(0)


main()
