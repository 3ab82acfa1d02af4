"""Writes CPython's own syntax tree of each file in the form of dump.ts, one JSON line a file.

    python dump.py FILE... > trees.jsonl      (or the names on standard input)

A tree is a list of strings in source order of its nodes: kind, what it says, and where it stands. The insides of f-strings
are left out: before Python 3.12 their positions were wrong.
"""

import ast
import json
import sys
import warnings

OPERATORS = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "Pow": "**", "MatMult": "@",
    "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LShift": "<<", "RShift": ">>", "UAdd": "+", "USub": "-", "Invert": "~",
    "Not": "not", "And": "and", "Or": "or", "Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=",
    "Is": "is", "IsNot": "is not", "In": "in", "NotIn": "not in",
}
FORMS = {"ListComp": "list", "SetComp": "set", "DictComp": "dict", "GeneratorExp": "generator"}


def operator(node):
    return OPERATORS[type(node).__name__]


def constant(value):
    if value is None:
        return "none"
    if value is Ellipsis:
        return "ellipsis"
    if isinstance(value, bool):
        return f"bool {str(value).lower()}"
    if isinstance(value, int):
        return f"int {value}" if value < 2**53 else "int"
    if isinstance(value, (float, complex)):
        return type(value).__name__
    if isinstance(value, bytes):
        value, kind = value.decode("latin-1"), "bytes"
    else:
        kind = "str"
    return f"{kind} {json.dumps(value)}"


class Dump(ast.NodeVisitor):
    def __init__(self, source):
        self.lines = source.decode("utf-8", "replace").splitlines()
        self.rows = []
        self.generators = [False]

    def row(self, node, kind, *says):
        place = f"{node.lineno}:{node.col_offset}-{node.end_lineno}:{node.end_col_offset}"
        self.rows.append(" ".join([kind, *says, place]))

    def generic_visit(self, node):
        kind = type(node).__name__
        if isinstance(node, (ast.expr, ast.stmt, ast.keyword)):
            self.row(node, kind, *self.says(node))
        super().generic_visit(node)

    def says(self, node):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return [name]
            case ast.Constant(value=value):
                says = constant(value)
                named = "\\N" in "".join(self.lines[node.lineno - 1 : node.end_lineno])
                return [says.split()[0] if named and says[:3] in ("str", "byt") else says]
            case ast.keyword(arg=name):
                return [name or "**"]
            case ast.BinOp(op=op) | ast.UnaryOp(op=op) | ast.BoolOp(op=op) | ast.AugAssign(op=op):
                return [operator(op)]
            case ast.Compare(ops=ops):
                return [",".join(map(operator, ops))]
            case ast.Import(names=names):
                return [",".join(f"{each.name}:{each.asname or ''}" for each in names)]
            case ast.ImportFrom(module=module, level=level, names=names):
                return [f"{'.' * level}{module or ''}", ",".join(f"{each.name}:{each.asname or ''}" for each in names)]
            case ast.ClassDef(name=name):
                return [name, str(ast.get_docstring(node, clean=False) is not None).lower()]
            case ast.Yield():
                self.generators[-1] = True
            case ast.YieldFrom():
                self.generators[-1] = True
        return []

    def visit_JoinedStr(self, node):
        self.row(node, "JoinedStr")
        yields = any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in ast.walk(node))
        self.generators[-1] = self.generators[-1] or yields

    def visit_Global(self, node):
        self.row(node, "Global", ",".join(node.names))

    def visit_Nonlocal(self, node):
        self.row(node, "Global", "nonlocal", ",".join(node.names))

    def comprehension(self, node):
        self.row(node, "Comprehension", FORMS[type(node).__name__])
        super().generic_visit(node)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = comprehension

    def visit_AsyncFor(self, node):
        self.row(node, "For")
        super().generic_visit(node)

    def visit_AsyncWith(self, node):
        self.row(node, "With")
        super().generic_visit(node)

    def visit_TryStar(self, node):
        self.row(node, "Try")
        super().generic_visit(node)

    def visit_YieldFrom(self, node):
        self.row(node, "Yield", "from")
        self.generators[-1] = True
        super().generic_visit(node)

    def visit_ExceptHandler(self, node):
        self.rows.append(f"except {node.name or ''}")
        super().generic_visit(node)

    def visit_Raise(self, node):
        self.row(node, "Raise")
        if node.exc:
            self.visit(node.exc)

    def visit_Call(self, node):
        self.row(node, "Call")
        self.visit(node.func)
        for each in [*node.args, *node.keywords]:
            self.visit(each)

    def visit_IfExp(self, node):
        self.row(node, "IfExp")
        for each in (node.test, node.body, node.orelse):
            self.visit(each)

    def visit_Dict(self, node):
        self.row(node, "Dict")
        for key, value in zip(node.keys, node.values):
            if key is None:
                self.rows.append("**")
            else:
                self.visit(key)
            self.visit(value)

    def parameters(self, node):
        def one(mark, arg, default=None):
            self.row(arg, f"{mark}{arg.arg}")
            if arg.annotation:
                self.visit(arg.annotation)
            if default is not None:
                self.visit(default)

        positional = [*node.posonlyargs, *node.args]
        defaults = [None] * (len(positional) - len(node.defaults)) + node.defaults
        for arg, default in zip(positional, defaults):
            one("", arg, default)
        self.rows.append(f"/ {len(node.posonlyargs)}")
        if node.vararg:
            one("*", node.vararg)
        for arg, default in zip(node.kwonlyargs, node.kw_defaults):
            one("=", arg, default)
        if node.kwarg:
            one("**", node.kwarg)

    def function(self, node):
        for each in node.decorator_list:
            self.visit(each)
        kind = "async" if isinstance(node, ast.AsyncFunctionDef) else "def"
        self.row(node, kind, node.name, str(ast.get_docstring(node, clean=False) is not None).lower())
        self.generators.append(False)
        self.parameters(node.args)
        if node.returns:
            self.visit(node.returns)
        for each in node.body:
            self.visit(each)
        self.rows.append(f"generator {str(self.generators.pop()).lower()}")

    visit_FunctionDef = visit_AsyncFunctionDef = function

    def visit_ClassDef(self, node):
        for each in node.decorator_list:
            self.visit(each)
        self.row(node, "ClassDef", *self.says(node))
        for each in [*node.bases, *node.keywords, *node.body]:
            self.visit(each)

    def visit_Lambda(self, node):
        self.row(node, "Lambda")
        self.generators.append(False)
        self.parameters(node.args)
        self.visit(node.body)
        self.generators.pop()

    def visit_match_case(self, node):
        names = []
        for each in ast.walk(node.pattern):
            if isinstance(each, (ast.MatchAs, ast.MatchStar)) and each.name:
                names.append(each.name)
            if isinstance(each, ast.MatchMapping) and each.rest:
                names.append(each.rest)
        self.rows.append(f"case {','.join(sorted(names))}")
        if node.guard:
            self.visit(node.guard)
        for each in node.body:
            self.visit(each)

    def visit_Match(self, node):
        self.row(node, "Match")
        self.visit(node.subject)
        for each in node.cases:
            self.visit(each)


def tree(path):
    with open(path, "rb") as file:
        source = file.read()
    dump = Dump(source)
    dump.visit(ast.parse(source))
    return dump.rows


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for name in sys.argv[1:] or sys.stdin.read().split("\n"):
        if not name:
            continue
        try:
            print(json.dumps({"path": name, "rows": tree(name)}))
        except (SyntaxError, ValueError, RecursionError) as error:
            print(json.dumps({"path": name, "error": str(error)}))
