"""Records the dtypes that autocast makes of the samples of ops: test/ops/autocast.json.

    npx esbuild test/oracle/op_samples.ts --bundle --platform=node | node - | python test/oracle/autocast_samples.py

Needs torch and einops. The CPU runs the samples in bfloat16. What CUDA would do in float16 is asked of torch's own fake
tensors, which need no GPU: autocast is decided before any kernel is chosen. An answer holds, for inputs of float32 and of
the low dtype, the dtypes of the tensors that come out where they are others than without autocast, `"!"` where only autocast
raises; `alike` are the other cases of a sample. A sample that autocast changes nothing of is left out.
"""

import contextlib
import json
import logging
import sys
import warnings

import op_samples
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

LOW = {"cpu": torch.bfloat16, "cuda": torch.float16}


@contextlib.contextmanager
def autocast(device, enabled):
    torch.set_autocast_enabled(device, enabled)
    torch.set_autocast_dtype(device, LOW[device])
    torch.set_autocast_cache_enabled(False)
    yield
    torch.set_autocast_enabled(device, False)


def moved(value, device, dtype):
    if isinstance(value, list):
        return [moved(item, device, dtype) for item in value]
    if not isinstance(value, torch.Tensor):
        return value
    wanted = dtype if value.dtype == torch.float32 else value.dtype
    return torch.empty_strided(value.shape, value.stride(), dtype=wanted, device="cuda") if device == "cuda" else value.to(wanted)


def dtypes(value):
    if isinstance(value, torch.Tensor):
        return [str(value.dtype)[6:]]
    if isinstance(value, (tuple, list)):
        return [dtype for item in value for dtype in dtypes(item)]
    return []


def answer(question, device, dtype, enabled):
    sample = question["sample"]
    args = [op_samples.argument(spec, []) for spec in sample["args"]]
    keywords = {name: op_samples.argument(spec, []) for name, spec in sample["keywords"].items()}
    with FakeTensorMode() if device == "cuda" else contextlib.nullcontext():
        args = [moved(value, device, dtype) for value in args]
        keywords = {name: moved(value, device, dtype) for name, value in keywords.items()}
        call = op_samples.function(question["name"])
        with autocast(device, enabled):
            try:
                return dtypes(call(*args, **keywords))
            except Exception:
                return "!"


def main():
    warnings.simplefilter("ignore")
    # What a fake tensor refuses is an answer, and not told twice.
    logging.getLogger("torch._subclasses.fake_tensor").setLevel(logging.CRITICAL)
    answers = {}
    for question in json.load(sys.stdin)["samples"]:
        if question["sample"]["raises"]:
            continue
        differing, alike = {}, []
        for device, low in LOW.items():
            for name, dtype in (("single", torch.float32), ("low", low)):
                try:
                    plain = answer(question, device, dtype, False)
                    under = answer(question, device, dtype, True)
                except Exception:
                    continue
                if under != plain:
                    differing[f"{device} {name}"] = under
                elif plain != "!" and set(plain) & {"float16", "bfloat16", "float32"}:
                    alike.append(f"{device} {name}")
        if differing:
            answers[question["key"]] = {**differing, **({"alike": alike} if alike else {})}
    op_samples.write(op_samples.OPS / "autocast.json", answers)


if __name__ == "__main__":
    main()
