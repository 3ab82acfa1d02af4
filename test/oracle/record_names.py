"""Records which of the names that the engine knows an older torch has not got: engine/ops/absent/torch-VERSION.ts.

    npx esbuild test/oracle/names.ts --bundle --platform=node | node - | OLD/bin/python test/oracle/record_names.py

Run it with each of the measured versions but the newest after entries were added.
"""

import importlib
import pathlib
import sys
import warnings

import torch

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "engine" / "ops" / "absent"
LAZY = ("distributed", "masked", "nested", "nn.utils.rnn", "utils.dlpack")


def absent(name):
    found = torch
    for part in name.split(".")[1:]:
        if not hasattr(found, part):
            return True
        found = getattr(found, part)
    return False


def main():
    warnings.simplefilter("ignore")
    for module in LAZY:
        try:
            importlib.import_module(f"torch.{module}")
        except ImportError:
            pass
    version = ".".join(torch.__version__.split(".")[:2])
    names = [name for name in sys.stdin.read().split() if absent(name)]
    rows = "".join(f"  '{name}',\n" for name in names)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"torch-{version}.ts").write_text(
        f"// Written by test/oracle/record_names.py: do not edit.\n"
        f"/** Names of newer versions that torch {version} has not got. */\n"
        f"export const ABSENT: readonly string[] = [\n{rows}];\n"
    )


main()
