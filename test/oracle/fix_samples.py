"""Runs each program before and after its safe fix, and writes down whether PyTorch computes the same: test/rules/fixes.json.

    npx esbuild test/oracle/fix_samples.ts --bundle --platform=node --format=esm --packages=external | \\
        node --input-type=module - | python test/oracle/fix_samples.py

Needs what record_specs.py needs. Programs are run as it runs specifications. A verdict is

    equal                all values that both programs name or return are the same, up to rounding
    mended: LINE error   what raised does not any more, and the values before that are the same
    differs: NAME ...    these values are others
    raises: LINE error   only the fixed program raises
    not run: ...         the line of the finding was never reached, or needs what this machine does not have
"""

import ast
import copy
import itertools
import json
import os
import pathlib
import re
import sys
import tempfile
import warnings

import numpy
import safetensors.torch
import torch
from record_specs import PRIMES, Run

VERDICTS = pathlib.Path(__file__).resolve().parent.parent / "rules" / "fixes.json"


def main():
    os.chdir(FILES.name)  # programs save files
    samples = json.load(sys.stdin)
    verdicts = {sample["key"]: verdict(sample) for sample in samples if sample["safe"]}
    body = ",\n".join(f"  {json.dumps(key)}: {json.dumps(text)}" for key, text in sorted(verdicts.items()))
    VERDICTS.write_text(f'{{\n "torch": {json.dumps(torch.__version__.split("+")[0])},\n "verdicts": {{\n{body}\n }}\n}}\n')


def verdict(sample):
    ways = list(reaching(sample))
    if not ways:
        return "not run: nothing comes to the line"
    before, after = min(ways, key=lambda way: (len(way[0].errors), len(way[1].errors)))
    if before.lacks:
        return f"not run: {before.lacks}"
    if len(after.errors) < len(before.errors):
        gone = [error for error in before.errors if after.errors.count(error) < before.errors.count(error)]
        return f"mended: {gone[0]}"
    new = [error for error in after.errors if error not in before.errors]
    if new:
        return f"raises: {new[0]}"
    different = [name for name in before.values if name in after.values and not equal(before.values[name], after.values[name])]
    return f"differs: {' '.join(different)}" if different else "equal"


def reaching(sample):
    """Runs of both programs, with this and that for what no shape comment describes, until one raises nothing."""
    names = []
    for arguments in choices():
        try:
            before = Kept.of(sample, "before", arguments(names))
            after = Kept.of(sample, "after", arguments(names))
        except Exception:  # an argument of the wrong kind, where no statement could catch it
            continue
        names = names or before.asked
        # What stands in a comment has no line of its own.
        if before.lacks or sample["line"] in before.ran or sample["rule"] == "unused-suppression":
            yield before, after
            if before.lacks or not before.errors or not after.errors:
                return
        if not names:
            return


def choices():
    """One kind of argument for all, then one for the first and another for the others."""
    for kind in range(len(ARGUMENTS)):
        yield lambda names, kind=kind: dict.fromkeys(names, kind)
    for first, other in itertools.permutations(range(len(ARGUMENTS)), 2):
        yield lambda names, first=first, other=other: {**dict.fromkeys(names, other), **dict.fromkeys(names[:1], first)}


class Kept(Run):
    """A run that keeps what it computes."""

    @classmethod
    def of(cls, sample, which, arguments):
        run = cls(sample[which], sample["info"], arguments)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run.rows()
        return run

    def __init__(self, text, info, arguments):
        super().__init__(text, dict(re.findall(r"(\w+)=(\[[^\]]*\]\w*|\S+)", info)), PRIMES[0])
        self.arguments, self.asked = arguments, []
        self.keys = re.findall(r'\["(\w+)"\]', text) or ["weight"]
        self.ran, self.errors, self.values, self.lacks = set(), [], {}, None

    def listens(self, frame):
        return True

    def before(self, line):
        if self.listens(sys._getframe(1)):
            self.ran.add(line)

    def value(self, line, value):
        return value

    def raised(self, line, error):
        text = str(error).splitlines()[0] if str(error) else ""
        self.errors.append(f"{type(error).__name__}: {text}")
        if re.search("CUDA|No module named|NVIDIA", text):
            self.lacks = self.errors[-1]

    def after(self, line, bound):
        frame = sys._getframe(1)
        if self.listens(frame):
            where = frame.f_code.co_qualname
            for name, value in frame.f_locals.items():
                if not name.startswith("__") and name != "torch":
                    self.values[f"{where}.{name}"] = kept(value)

    def returns(self, line, value):
        frame = sys._getframe(1)
        if self.listens(frame):
            self.values[f"{frame.f_code.co_qualname}()"] = kept(value)
        return value

    def copied(self, frame, line, op):
        pass

    def callables(self):
        """Classes without methods too, for what their constructors do."""
        yield from super().callables()
        for node in self.tree.body:
            methods = [m.name for m in node.body if isinstance(m, ast.FunctionDef)] if isinstance(node, ast.ClassDef) else []
            if methods == ["__init__"]:
                init = copy.copy(next(m for m in node.body if isinstance(m, ast.FunctionDef)))
                init.args = copy.copy(init.args)
                init.args.args = init.args.args[1:]
                yield node.name, init

    def describable(self, definition, parameters):
        return True

    def argument(self, parameter, default, shapes):
        name = parameter.arg
        if name in shapes or name in self.options or default is not None:
            return super().argument(parameter, default, shapes)
        if name not in self.asked:
            self.asked.append(name)
        return ARGUMENTS[self.arguments.get(name, 0)](self.keys)


def saved(keys, save):
    path = pathlib.Path(FILES.name) / f"{'-'.join(keys)}.{save.__name__}"
    if not path.exists():
        save({key: torch.randn(200, 8) for key in keys}, path)
    return str(path)


def save_file(tensors, path):
    safetensors.torch.save_file(tensors, path)


FILES = tempfile.TemporaryDirectory()
# What a parameter may be that nothing describes; `keys` are the strings that the program subscripts with.
ARGUMENTS = (
    lambda keys: torch.randn(2, 6, 4),
    lambda keys: torch.randn(2, 3, 4, 8),
    lambda keys: torch.randn(4, 6),
    lambda keys: torch.randn(6),
    lambda keys: 3,
    lambda keys: "cpu",
    lambda keys: keys,
    lambda keys: saved(keys, torch.save),
    lambda keys: saved(keys, save_file),
    lambda keys: numpy.zeros((4, 4, 3), dtype=numpy.float32),
    lambda keys: [torch.randn(4, 6), torch.randn(4, 6)],
    lambda keys: torch.nn.Identity(),
)


def kept(value, depth=4):
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, torch.nn.Module):
        return {name: t.detach().clone() for name, t in value.state_dict().items()}
    if isinstance(value, (bool, int, float, complex, str, type(None))):
        return value
    if depth and isinstance(value, (list, tuple)):
        return [kept(item, depth - 1) for item in value]
    if depth and isinstance(value, dict):
        return {str(name): kept(item, depth - 1) for name, item in value.items()}
    if depth and type(value).__module__ == "snippet":
        return {name: kept(item, depth - 1) for name, item in vars(value).items()}
    if type(value).__module__ == "numpy":
        return kept(torch.as_tensor(value.copy()))
    return None


def equal(a, b):
    if isinstance(a, torch.Tensor):
        if not isinstance(b, torch.Tensor) or a.shape != b.shape or a.dtype != b.dtype:
            return False
        # Another layout may take another kernel, which adds up in another order.
        return torch.allclose(a, b, rtol=1e-5, atol=1e-6, equal_nan=True)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(equal(a[name], b[name]) for name in a)
    return type(a) is type(b) and (a == b or a != a)


if __name__ == "__main__":
    main()
