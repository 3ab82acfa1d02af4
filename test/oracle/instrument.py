"""Rewrites a snippet so that each simple statement reports to the recorder. See record_specs.py."""

import ast


class Instrument(ast.NodeTransformer):
    """Makes each simple statement report its value, and go on when it raises. Rows are keyed by a statement's last line."""

    last_line = {}

    def visit_Module(self, node):
        Instrument.last_line.clear()
        node.body = self.block(node.body)
        return node

    def visit_ClassDef(self, node):
        node.body = [self.visit(s) if isinstance(s, (ast.FunctionDef, ast.ClassDef)) else s for s in node.body]
        return node

    def visit_FunctionDef(self, node):
        node.body = self.block(node.body)
        return node

    def compound(self, node):
        for field in ("body", "orelse", "finalbody"):
            if getattr(node, field, None):
                setattr(node, field, self.block(getattr(node, field)))
        return node

    visit_If = visit_For = visit_While = visit_With = visit_Try = compound

    def block(self, body):
        return [new for statement in body for new in self.statement(statement)]

    def statement(self, node):
        if not isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Delete, ast.Return)):
            return [self.visit(node)]
        line = node.end_lineno
        Instrument.last_line.update({n: line for n in range(node.lineno, line + 1)})
        wrapped = [node]
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.Expr)) and node.value is not None:
            node.value = call("value", node, ast.Constant(line), node.value)
        if isinstance(node, ast.AugAssign) and not isinstance(node.target, ast.Subscript):
            target = ast.parse(ast.unparse(node.target), mode="eval").body
            wrapped.append(ast.Expr(call("value", node, ast.Constant(line), target)))
        if isinstance(node, ast.Return):
            node.value = call("returns", node, ast.Constant(line), node.value or ast.Constant(None))
        caught = ast.ExceptHandler(
            ast.Name("Exception", ast.Load()),
            "__error",
            [ast.Expr(call("raised", node, ast.Constant(line), ast.Name("__error", ast.Load())))],
        )
        bound = ast.List([ast.Constant(name) for name in bound_names(node)], ast.Load())
        parts = [
            ast.Expr(call("before", node, ast.Constant(line))),
            ast.Try(wrapped, [caught], [], []),
            ast.Expr(call("after", node, ast.Constant(line), bound)),
        ]
        return [place(part, node) for part in parts]


def call(method, near, *arguments):
    function = ast.Attribute(ast.Name("__spec__", ast.Load()), method, ast.Load())
    return place(ast.Call(function, list(arguments), []), near)


def place(new, near):
    for part in ast.walk(new):
        if isinstance(part, (ast.expr, ast.stmt, ast.excepthandler)) and not hasattr(part, "lineno"):
            ast.copy_location(part, near)
    return new


def bound_names(node):
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
