"""Records the public functions and methods of torch: test/coverage/public.json.

    python test/oracle/record_public.py
"""

import json
import pathlib
import types

import torch
import torch.nn.functional

RECORDING = pathlib.Path(__file__).resolve().parent.parent / "coverage" / "public.json"
NAMESPACES = {
    "torch": torch,
    "torch.Tensor": torch.Tensor,
    "torch.nn.functional": torch.nn.functional,
    "torch.linalg": torch.linalg,
    "torch.fft": torch.fft,
    "torch.special": torch.special,
}


def public(namespace):
    for name in dir(namespace):
        value = getattr(namespace, name, None)
        if not name.startswith("_") and callable(value) and not isinstance(value, (type, types.ModuleType)):
            yield name


def main():
    names = {prefix: sorted(public(namespace)) for prefix, namespace in NAMESPACES.items()}
    RECORDING.write_text(json.dumps(names, indent=1) + "\n")


main()
