"""Records what PyTorch does on the samples of every op: test/ops/recordings/*.json.

    npx esbuild test/oracle/op_samples.ts --bundle --platform=node | node - | python test/oracle/op_samples.py

Needs torch; a library that is not installed (einops, torchvision) keeps the recording that it has. An answer is "!" and
the exception's type where PyTorch raises, else the result and what the tensors that went in have become. An older torch
than the newest writes test/ops/versions/VERSION.json instead: what it answers differently, `"absent"` where it has no
such function. A tensor is its shape, stride, offset and dtype, the input that it is (`same`) or whose memory it shares
(`of`), by their order in the call.
"""

import importlib
import importlib.util
import json
import math
import pathlib
import re
import sys
import warnings

import torch

OPS = pathlib.Path(__file__).resolve().parent.parent / "ops"
RECORDINGS = OPS / "recordings"
OURS = tuple(int(n) for n in torch.__version__.split("+")[0].split(".")[:2])
NEWEST = (2, 13)
# Which kernels the CPU has for half precision changed with every version, and tells nothing of how tensors lie.
HALF = re.compile("float16|bfloat16")
NAMES = {
    "torch": torch,
    "inf": math.inf,
    **{name: getattr(torch, name) for name in ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")},
}


def tensor(spec):
    dtype = getattr(torch, spec["dtype"])
    if spec["elements"] is not None:
        return torch.tensor(spec["elements"], dtype=dtype).reshape(spec["shape"])
    stride = spec["stride"]
    if stride is None:
        return filled(spec["shape"], dtype)
    span = 1 + sum((n - 1) * s for n, s in zip(spec["shape"], stride))
    return filled([0 if 0 in spec["shape"] else span], dtype).as_strided(spec["shape"], stride)


def filled(shape, dtype):
    """Numbers that most functions accept: between 0 and 1, and ones for integers."""
    if not dtype.is_floating_point and not dtype.is_complex:
        return torch.ones(shape, dtype=dtype)
    return torch.rand(shape, generator=torch.Generator().manual_seed(0)).to(dtype)


def argument(spec, inputs):
    if spec["is"] == "tensors":
        return [argument(item, inputs) for item in spec["items"]]
    if spec["is"] == "literal":
        return eval(spec["text"], dict(NAMES))
    inputs.append(tensor(spec))
    return inputs[-1]


def function(name):
    owner, attribute = name.rsplit(".", 1)
    found = torch
    if owner.partition(".")[0] == "torch":
        for part in owner.split(".")[1:]:
            found = getattr(found, part)
    else:
        found = importlib.import_module(owner)
    return getattr(found, attribute)


def layout(x):
    return {"shape": list(x.shape), "stride": list(x.stride()), "offset": x.storage_offset(), "dtype": str(x.dtype)[6:]}


def untyped(x):
    return x.untyped_storage() if hasattr(x, "untyped_storage") else x._storage()


def described(value, inputs):
    if isinstance(value, torch.Tensor):
        answer = layout(value)
        storage = untyped(value)._cdata
        for index, x in enumerate(inputs):
            if value is x:
                answer["same"] = index
            if untyped(x)._cdata == storage:
                answer["of"] = index
        return answer
    if isinstance(value, (tuple, list)):
        return [described(item, inputs) for item in value]
    if isinstance(value, (bool, int, str)) or value is None:
        return value
    return str(value)


def answer(question):
    sample, inputs = question["sample"], []
    try:
        call = function(question["name"])
    except Exception as error:
        if OURS < NEWEST:
            return "absent"
        sys.exit(f"{question['key']}: {error}")
    try:
        args = [argument(spec, inputs) for spec in sample["args"]]
        keywords = {name: argument(spec, inputs) for name, spec in sample["keywords"].items()}
    except Exception as error:
        if OURS < NEWEST:
            return None  # a dtype that it has not got
        sys.exit(f"{question['key']}: {error}")
    try:
        result = call(*args, **keywords)
    except AttributeError as error:
        if OURS < NEWEST:
            return ["!", "AttributeError"]
        sys.exit(f"{question['key']}: {error}")
    except Exception as error:
        return ["!", type(error).__name__]
    return {"result": described(result, inputs), "inputs": [layout(x) for x in inputs]}


def subscript(question):
    index = lambda *values: torch.tensor(values, dtype=torch.int64)
    mask = lambda *values: torch.tensor(values if values else True, dtype=torch.bool)
    spec = {"shape": question["shape"], "stride": question["stride"], "dtype": "float32", "elements": None}
    names = {"x": tensor(spec), "I": index, "M": mask}
    value = question["value"]
    names["v"] = torch.zeros(value) if isinstance(value, list) else value
    try:
        if value is not None:
            exec(f"x[{question['text']}] = v", names)
            return None
        return described(eval(f"x[{question['text']}]", names), [names["x"]])
    except Exception as error:
        return ["!", type(error).__name__]


def main():
    warnings.simplefilter("ignore")
    files = {}
    asked = json.load(sys.stdin)
    missing = {q["file"] for q in asked["samples"] if not importlib.util.find_spec(q["file"].partition(".")[0])}
    for question in asked["samples"]:
        if question["file"] not in missing:
            files.setdefault(question["file"], {})[question["key"]] = answer(question)
    files["subscripts.json"] = {question["key"]: subscript(question) for question in asked["subscripts"]}
    if OURS < NEWEST:
        newest = {name: json.loads((RECORDINGS / name).read_text()) for name in files}
        differing = {
            key: value
            for name, answers in files.items()
            for key, value in json.loads(json.dumps(answers)).items()
            if value is not None and name != "subscripts.json" and not HALF.search(key) and differs(value, newest[name].get(key, value))
        }
        return write(OPS / "versions" / f"{OURS[0]}.{OURS[1]}.json", differing)
    for old in RECORDINGS.glob("*.json"):
        if old.name not in missing:
            old.unlink()
    for name, answers in files.items():
        write(RECORDINGS / name, answers)


def differs(old, new):
    """What is raised, and not with which type."""
    raised = isinstance(old, list) and isinstance(new, list) and old[:1] == new[:1] == ["!"]
    return not raised and old != new


def write(path, answers):
    path.parent.mkdir(exist_ok=True)
    rows = ",\n".join(f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}" for key, value in sorted(answers.items()))
    path.write_text("{\n" + rows + "\n}\n")


if __name__ == "__main__":
    main()
