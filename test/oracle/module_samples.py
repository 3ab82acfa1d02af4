"""Records what PyTorch does on the samples of every module: test/modules/recordings/torch.nn.json.

    npx esbuild test/oracle/module_samples.ts --bundle --platform=node | node - | python test/oracle/module_samples.py

An answer is "!" and the exception's type where making or calling the module raises, else the result as in op_samples.py,
the shapes of the module's own parameters and buffers, and its plain attributes.
"""

import json
import pathlib
import sys
import warnings

import torch

RECORDING = pathlib.Path(__file__).resolve().parent.parent / "modules" / "recordings" / "torch.nn.json"


def filled(shape, dtype):
    if not dtype.is_floating_point and not dtype.is_complex:
        return torch.ones(shape, dtype=dtype)
    return torch.rand(shape, generator=torch.Generator().manual_seed(0)).to(dtype)


def made(spec, inputs):
    if spec["is"] == "again":
        return inputs[spec["input"]]
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


def answer(question):
    inputs = []
    try:
        module = eval("torch.nn." + question["construction"]).train(question["training"])
        with torch.set_grad_enabled(question["grad"]):
            args = [made(spec, inputs) for spec in question["inputs"]]
            keywords = {name: made(spec, inputs) for name, spec in question["keywords"].items()}
            result = module(*args, **keywords)
    except Exception as error:
        return ["!", type(error).__name__]
    own = [*module._parameters.items(), *module._buffers.items()]
    return {
        "result": described(result, inputs),
        "own": {name: None if tensor is None else list(tensor.shape) for name, tensor in sorted(own)},
        "attributes": {n: v for n, v in sorted(vars(module).items()) if plain(v) and n not in ("training",) and not n.startswith("__")},
    }


def main():
    warnings.simplefilter("ignore")
    answers = {question["key"]: answer(question) for question in json.load(sys.stdin)}
    rows = ",\n".join(f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}" for key, value in sorted(answers.items()))
    RECORDING.parent.mkdir(exist_ok=True)
    RECORDING.write_text("{\n" + rows + "\n}\n")


main()
