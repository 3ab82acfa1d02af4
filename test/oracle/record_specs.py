"""Runs every snippet of test/spec under real PyTorch and writes down what PyTorch did.

    python test/oracle/record_specs.py [--check] [SPEC.md ...]

Needs torch, einops and safetensors. A block whose fence names a torch (```py torch=1.13) is run by that one, all others by the newest;
what the torch at hand is not asked for keeps the recording that it has. A spec `test/spec/a/b.md` is recorded in `test/oracle/recordings/a/b.json`, one entry a snippet,
keyed by the hash of its text without the asserting comments. Nothing here reads an assertion: a recording says for each
line what its value is, what it shares memory with, what is alive after it, what it wrote, what it copied and what it
raised. The ordinary test run compares the assertions with that.

A function is called with tensors for the names that a shape comment (`# x: [B, T, C]`) or the block's info string
(```py x=[B,T,C] heads=2) describes. Every size symbol is a prime, in two runs with different ones, unless the info
string fixes it. A line that raises is written down and the next line runs.
"""

import ast
import hashlib
import json
import re
import sys
import types
from pathlib import Path

import torch
from instrument import Instrument
from torch.overrides import TorchFunctionMode

ROOT = Path(__file__).resolve().parent.parent
SPECS = ROOT / "spec"
RECORDINGS = ROOT / "oracle" / "recordings"

# The same two expressions stand in test/harness/markdown.ts.
ASSERTION = re.compile(
    r"[ \t]*#[ \t]*(?:reveal(?: [\w.]+)?:|live:|element:|(?:error|warning|info|hint)\[).*$", re.MULTILINE
)
FENCE = re.compile(r"^```py\b[ \t]*(.*?)[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)

SHAPE = re.compile(r"(\w+): ?\[([^\]]*)\]((?: +(?:bool|u?int\d+|b?float\d+|channels_last|contiguous|cuda|cpu))*)")
PRIMES = ((2, 3, 5, 7, 11, 13, 17, 19), (5, 7, 3, 2, 13, 11, 19, 17))
RESHAPES = {"reshape", "flatten", "ravel", "reshape_as", "unflatten"}
SNIPPET = "<snippet>"
OURS = tuple(int(n) for n in torch.__version__.split("+")[0].split(".")[:2])
NEWEST = (2, 13)


def main(arguments):
    check = "--check" in arguments
    paths = [Path(a).resolve() for a in arguments if a != "--check"] or sorted(SPECS.rglob("*.md"))
    stale = []
    for path in paths:
        recording = RECORDINGS / path.relative_to(SPECS).with_suffix(".json")
        before = json.loads(recording.read_text()) if recording.exists() else {"torch": "", "cases": {}}
        text = dump(record_file(path, before))
        if check:
            if not recording.exists() or recording.read_text() != text:
                stale.append(recording)
            continue
        recording.parent.mkdir(parents=True, exist_ok=True)
        recording.write_text(text)
    if check and stale:
        sys.exit("different from PyTorch " + torch.__version__ + ": " + ", ".join(str(p.relative_to(ROOT)) for p in stale))


def record_file(path, before):
    cases = {}
    for info, code in FENCE.findall(path.read_text()):
        stripped = ASSERTION.sub("", code)
        key = digest(info, stripped)
        if not is_for_us(info):
            if key in before["cases"]:
                cases[key] = before["cases"][key]
            continue
        try:
            cases[key] = record_case(info, stripped)
        except Exception as error:
            sys.exit(f"{path}: cannot run the snippet\n\n{code}\n{type(error).__name__}: {error}")
    return {"torch": torch.__version__.split("+")[0] if OURS >= NEWEST else before["torch"], "cases": cases}


def is_for_us(info):
    wanted = re.search(r"\btorch=(\d+)\.(\d+)", info)
    return (int(wanted[1]), int(wanted[2])) == OURS if wanted else OURS >= NEWEST


def digest(info, stripped):
    return hashlib.sha256(f"{info}\n{stripped}".encode()).hexdigest()[:16]


def record_case(info, code):
    options = dict(re.findall(r"(\w+)=(\[[^\]]*\]\w*|\S+)", info))
    options.pop("torch", None)
    runs = []
    for primes in PRIMES:
        runs.append(Run(code, options, primes).rows())
        if not any(row.get("names") for row in runs[-1]):
            break
    return runs


class Run:
    """One execution of a snippet under one choice of sizes."""

    def __init__(self, code, options, primes):
        self.tree = ast.parse(code)
        self.comments = code.splitlines()
        self.options = options
        self.free_primes = list(primes)
        self.sizes = {}
        self.recorded = []
        self.pending = {}
        self.root = None
        self.roots = set()

    def rows(self):
        self.roots = {name for name, _ in self.callables()}
        tree = ast.fix_missing_locations(Instrument().visit(self.tree))
        names = {"torch": torch, "__spec__": self, "__name__": "snippet"}
        sys.modules["snippet"] = types.ModuleType("snippet")
        with Watch(self):
            self.seed()
            self.root = "<module>"
            exec(compile(tree, SNIPPET, "exec"), names)
            for qualname, definition in self.callables():
                self.seed()
                self.root = None
                call = self.prepare(qualname, definition, names)
                self.root = qualname
                call()
        return self.recorded

    @staticmethod
    def seed():
        torch.manual_seed(0)

    # ---- what to call, and with what ---------------------------------------------------------

    def callables(self):
        """The functions and methods whose every tensor parameter has a known shape."""
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef) and self.describable(node, node.args.args):
                yield node.name, node
            if isinstance(node, ast.ClassDef):
                for method in node.body:
                    if isinstance(method, ast.FunctionDef) and method.name != "__init__" and not method.decorator_list:
                        if self.describable(method, method.args.args[1:]):
                            yield f"{node.name}.{method.name}", method

    def describable(self, definition, parameters):
        if not parameters:
            return True
        shapes = self.shapes(definition)
        return any(p.arg in shapes or p.arg in self.options for p in parameters)

    def shapes(self, definition):
        """Shape comments in the function and directly above it; the info string has the last word."""
        first = definition.lineno - 1
        while first > 0 and self.comments[first - 1].lstrip().startswith("#"):
            first -= 1
        found = {}
        for line in self.comments[first : definition.end_lineno]:
            if "#" in line:
                for name, dims, rest in SHAPE.findall(line[line.index("#") :]):
                    found[name] = (dims, rest.split())
        for name, value in self.options.items():
            described = re.fullmatch(r"\[([^\]]*)\](\w*)", value)
            if described:
                found[name] = (described[1], [described[2]] if described[2] else [])
        return found

    def prepare(self, qualname, definition, names):
        self.sizes = {}
        owner, _, method = qualname.rpartition(".")
        arguments = definition.args.args
        if not owner:
            return lambda: names[method](*self.bind(definition, arguments))
        constructor = getattr(names[owner].__init__, "__code__", None)
        node = next(n for n in self.tree.body if isinstance(n, ast.ClassDef) and n.name == owner)
        init = next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
        instance = names[owner](*(self.bind(init, init.args.args[1:]) if init and constructor else []))
        values = self.bind(definition, arguments[1:])
        return lambda: getattr(instance, method)(*values)

    def bind(self, definition, parameters):
        shapes = self.shapes(definition)
        defaults = [None] * (len(parameters) - len(definition.args.defaults)) + list(definition.args.defaults)
        return [self.argument(p, d, shapes) for p, d in zip(parameters, defaults[-len(parameters) :] if parameters else [])]

    def argument(self, parameter, default, shapes):
        if parameter.arg in shapes:
            dims, words = shapes[parameter.arg]
            return tensor([self.size(d.strip()) for d in dims.split(",") if d.strip()], words)
        if parameter.arg in self.options:
            return ast.literal_eval(self.options[parameter.arg])
        if default is not None:
            return eval(compile(ast.Expression(default), SNIPPET, "eval"), {"torch": torch})
        return self.size(parameter.arg)

    def size(self, text):
        for name in re.findall(r"[A-Za-z_]\w*", text):
            if name not in self.sizes:
                given = self.options.get(name)
                self.sizes[name] = int(given) if given else self.free_primes[len(self.sizes)]
        return eval(text, dict(self.sizes))

    # ---- what the instrumented snippet reports -----------------------------------------------

    def listens(self, frame):
        qualname = frame.f_code.co_qualname
        return qualname == self.root or (self.root is not None and qualname not in self.roots and qualname != "<module>")

    def row(self, frame, line):
        key = (id(frame), line)
        if key not in self.pending:
            names = {} if frame.f_code.co_qualname == "<module>" else {**self.sizes, **integers(frame.f_locals)}
            self.pending[key] = {"line": line, "names": names}
        return self.pending[key]

    def before(self, line):
        frame = sys._getframe(1)
        if self.listens(frame):
            held = named_tensors(frame.f_locals)
            self.row(frame, line)["held"] = {name: (t, t.detach().clone()) for name, t in held.items()}

    def value(self, line, value):
        frame = sys._getframe(1)
        if self.listens(frame) and isinstance(value, torch.Tensor):
            self.row(frame, line)["value"] = describe(value, named_tensors(frame.f_locals))
        return value

    def raised(self, line, error):
        frame = sys._getframe(1)
        if self.listens(frame):
            self.row(frame, line)["raised"] = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"

    def copied(self, frame, line, op):
        if self.listens(frame):
            line = Instrument.last_line.get(line, line)
            self.row(frame, line).setdefault("copies", []).append(op)

    def after(self, line, bound):
        frame = sys._getframe(1)
        if not self.listens(frame):
            return
        row = self.row(frame, line)
        self.pending.pop((id(frame), line))
        held = row.pop("held", {})
        earlier = {name: t for name, (t, _) in held.items()}
        now = frame.f_locals
        row["names"] and row["names"].update(integers(now))
        tensors = {name: now[name] for name in bound if isinstance(now.get(name), torch.Tensor)}
        if len(bound) > 1 and tensors:
            row["bound"] = {name: describe(t, earlier) for name, t in tensors.items()}
        changed = [name for name, (t, content) in held.items() if not same_content(t, content)]
        if changed:
            row["changed"] = sorted(changed)
        storages = reachable_storages(now)
        row["live"] = {"bytes": sum(storages.values()), "storages": len(storages)}
        self.keep(row)

    def returns(self, line, value):
        frame = sys._getframe(1)
        if self.listens(frame):
            row = self.row(frame, line)
            self.pending.pop((id(frame), line))
            row.pop("held", None)
            if isinstance(value, torch.Tensor):
                row["value"] = describe(value, named_tensors(frame.f_locals))
            self.keep(row)
        return value

    def keep(self, row):
        if not row["names"]:
            del row["names"]
        if row not in self.recorded:
            self.recorded.append(row)


class Watch(TorchFunctionMode):
    """Sees every reshape that copied, and the line of the snippet that asked for it."""

    def __init__(self, run):
        super().__init__()
        self.run = run

    def __torch_function__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        name = getattr(function, "__name__", "")
        if name in RESHAPES and args and isinstance(args[0], torch.Tensor) and isinstance(result, torch.Tensor):
            if result.numel() > 0 and storage(result) != storage(args[0]):
                frame = sys._getframe(1)
                while frame and re.search(r"einops|modules/(flatten|module|container)\.py|_tensor\.py|overrides\.py|record_specs", frame.f_code.co_filename):
                    frame = frame.f_back
                if frame and frame.f_code.co_filename == SNIPPET:
                    self.run.copied(frame, frame.f_lineno, name)
        return result


# ---- tensors ---------------------------------------------------------------------------------------


def tensor(shape, words):
    dtype = next((getattr(torch, w) for w in words if hasattr(torch, w) and isinstance(getattr(torch, w), torch.dtype)), torch.float32)
    made = torch.randn(shape).to(dtype) if dtype.is_floating_point else torch.zeros(shape, dtype=dtype)
    return made.to(memory_format=torch.channels_last) if "channels_last" in words else made


def storage(t):
    """The identity of the storage, which tells storages without bytes apart too."""
    return untyped(t)._cdata


def untyped(t):
    return t.untyped_storage() if hasattr(t, "untyped_storage") else t._storage()


def describe(t, earlier):
    shares = {name: other for name, other in earlier.items() if storage(other) == storage(t)}
    described = {
        "shape": list(t.shape),
        "stride": list(t.stride()),
        "offset": t.storage_offset(),
        "dtype": str(t.dtype).removeprefix("torch."),
    }
    if t.ndim == 0:
        described["byte"] = t.data_ptr() - untyped(t).data_ptr()
    same = [name for name, other in shares.items() if other is t]
    views = [name for name, other in shares.items() if other is not t]
    return {**described, **({"same": same} if same else {}), **({"views": views} if views else {})}


def named_tensors(names):
    found = {name: v for name, v in names.items() if isinstance(v, torch.Tensor) and not name.startswith("__")}
    owner = names.get("self")
    if isinstance(owner, torch.nn.Module):
        own = vars(owner)  # a module has neither parameters nor buffers before its base is initialised
        held = {**own, **own.get("_parameters", {}), **own.get("_buffers", {})}
        found.update({f"self.{name}": v for name, v in held.items() if isinstance(v, torch.Tensor)})
    elif owner is not None and not isinstance(owner, torch.Tensor):
        found.update({f"self.{name}": v for name, v in vars(owner).items() if isinstance(v, torch.Tensor)})
    return found


def integers(names):
    found = {name: v for name, v in names.items() if type(v) is int and not name.startswith("__")}
    owner = names.get("self")
    if owner is not None and hasattr(owner, "__dict__"):
        found.update({f"self.{name}": v for name, v in vars(owner).items() if type(v) is int and not name.startswith("_")})
    return found


def reachable_storages(names):
    """Bytes by storage, of all tensors that the visible names reach through lists, tuples, dicts and objects of the snippet."""
    storages, seen = {}, set()
    todo = [v for name, v in names.items() if not name.startswith("__")]
    while todo:
        value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, torch.Tensor):
            storages[storage(value)] = untyped(value).nbytes()
        elif isinstance(value, (list, tuple)):
            todo.extend(value)
        elif isinstance(value, dict):
            todo.extend(value.values())
        elif type(value).__module__ == "snippet" or isinstance(value, torch.nn.Module):
            todo.extend(vars(value).values())
    return storages


def same_content(t, content):
    return t.shape == content.shape and torch.equal(torch.nan_to_num(t.detach()), torch.nan_to_num(content))


def dump(recording):
    """JSON with one row a line, so that a change of PyTorch shows as a diff of lines."""
    lines = ["{", f' "torch": {json.dumps(recording["torch"])},', ' "cases": {']
    cases = list(recording["cases"].items())
    for number, (key, runs) in enumerate(cases):
        body = ",\n".join("   [\n" + ",\n".join("    " + json.dumps(row) for row in rows) + "\n   ]" for rows in runs)
        lines.append(f'  "{key}": [\n{body}\n  ]' + ("," if number + 1 < len(cases) else ""))
    return "\n".join([*lines, " }", "}", ""])


if __name__ == "__main__":
    main(sys.argv[1:])
