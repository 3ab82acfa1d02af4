"""Records what PyTorch does on the samples of every module: test/modules/recordings/*.json.

    npx esbuild test/oracle/module_samples.ts --bundle --platform=node | node - | python test/oracle/module_samples.py

An answer is "!" and the exception's type where making or calling the module raises, else the result as in op_samples.py,
the shapes of the module's own parameters and buffers as it is made, and its plain attributes. A library that is not
installed keeps the recording that it has. `classes.json` lists the modules
of torch.nn with the names that their constructors take.
"""

import importlib
import importlib.util
import inspect
import json
import pathlib
import sys
import warnings

import torch

RECORDINGS = pathlib.Path(__file__).resolve().parent.parent / "modules" / "recordings"


def filled(shape, dtype):
    if not dtype.is_floating_point and not dtype.is_complex:
        return torch.ones(shape, dtype=dtype)
    return torch.rand(shape, generator=torch.Generator().manual_seed(0)).to(dtype)


def made(spec, inputs):
    if spec["is"] == "again":
        return inputs[spec["input"]]
    if spec["is"] == "tensors":
        return tuple(made(item, inputs) for item in spec["items"])
    if spec["is"] == "literal":
        return eval(spec["text"])
    dtype = getattr(torch, spec["dtype"])
    if spec["elements"] is not None:
        x = torch.tensor(spec["elements"], dtype=dtype).reshape(spec["shape"])
    elif spec["stride"] is None:
        x = filled(spec["shape"], dtype)
    else:
        span = 1 + sum((n - 1) * s for n, s in zip(spec["shape"], spec["stride"]))
        x = filled([span], dtype).as_strided(spec["shape"], spec["stride"])
    inputs.append(x)
    return x


def described(value, inputs):
    if isinstance(value, torch.Tensor):
        answer = {"shape": list(value.shape), "stride": list(value.stride()), "dtype": str(value.dtype)[6:]}
        for index, x in enumerate(inputs):
            if value is x:
                answer["same"] = index
            if value.untyped_storage()._cdata == x.untyped_storage()._cdata:
                answer["of"] = index
        return answer
    if isinstance(value, (tuple, list)):
        return [described(item, inputs) for item in value]
    return None if value is None else str(value)


def plain(value):
    if isinstance(value, (tuple, list)):
        return all(plain(item) for item in value)
    return value is None or isinstance(value, (bool, int, str))


def layer(text):
    """The module that a constructor call makes. One of another library is written with its full name."""
    owner = text[: text.index("(")].rpartition(".")[0]
    names = dict(vars(torch.nn))
    if owner:
        names[owner.partition(".")[0]] = importlib.import_module(owner.partition(".")[0])
        importlib.import_module(owner)
    return eval(text, names)


def answer(question):
    inputs = []
    try:
        module = layer(question["construction"]).train(question["training"])
        own = {n: shape_of(t) for n, t in sorted([*module._parameters.items(), *module._buffers.items()]) if not is_lazy(t)}
        attributes = {n: v for n, v in sorted(vars(module).items()) if plain(v) and n not in ("training",) and not n.startswith("__")}
        with torch.set_grad_enabled(question["grad"]):
            args = [made(spec, inputs) for spec in question["inputs"]]
            keywords = {name: made(spec, inputs) for name, spec in question["keywords"].items()}
            result = module(*args, **keywords)
    except Exception as error:
        return ["!", type(error).__name__]
    return {"result": described(result, inputs), "own": own, "attributes": attributes}


def shape_of(tensor):
    return None if tensor is None else list(tensor.shape)


def is_lazy(tensor):
    return tensor is not None and torch.nn.parameter.is_lazy(tensor)


def is_module(name):
    found = getattr(torch.nn, name)
    return isinstance(found, type) and issubclass(found, torch.nn.Module)


def parameters(cls):
    """The names that a constructor takes; null where it hands on whatever it is given."""
    found = inspect.signature(cls).parameters
    return None if "args" in found or "kwargs" in found else list(found)


def write(name, answers):
    rows = ",\n".join(f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}" for key, value in sorted(answers.items()))
    (RECORDINGS / name).write_text("{\n" + rows + "\n}\n")


def main():
    warnings.simplefilter("ignore")
    files = {}
    for question in json.load(sys.stdin):
        if importlib.util.find_spec(question["file"].partition(".")[0]):
            files.setdefault(question["file"], {})[question["key"]] = answer(question)
    RECORDINGS.mkdir(exist_ok=True)
    for name, answers in files.items():
        write(name, answers)
    write("classes.json", {name: parameters(getattr(torch.nn, name)) for name in dir(torch.nn) if is_module(name)})


main()
