"""Runs one chain on torch's meta device for every name on stdin, and prints CPU nanoseconds a pass."""

import sys
import time

import chains
import torch

sizes = {name: value for name, value in vars(chains).items() if isinstance(value, int)}


def empty(annotation):
    return torch.empty(eval(f"({annotation},)", sizes), device="meta")


def passes(function, inputs, seconds):
    """Nanoseconds a pass, over as many as take that long."""
    count, start = 0, time.process_time_ns()
    while (spent := time.process_time_ns() - start) < seconds * 1e9:
        for _ in range(100):
            function(*inputs)
        count += 100
    return spent / count


torch.set_num_threads(1)
print(torch.__version__, flush=True)
for line in sys.stdin:
    name, seconds = line.split()
    function = getattr(chains, name)
    inputs = [empty(annotation) for annotation in function.__annotations__.values()]
    with torch.no_grad():
        for _ in range(20):
            function(*inputs)
        print(passes(function, inputs, float(seconds)), flush=True)
