"""Every form of Python 3.11's syntax, to be read by CPython and by us."""
from __future__ import annotations

import os, os.path as path
from . import sibling
from ..package.module import (name as alias, other,)
from star import *

π, naïve = 3.14, "ünïcode 🐍 " 'joined' + r'\d' + b"\x00\xff".decode()
numbers = [0, 1_000, 0xFF, 0b101, 0o17, 1.5e-3, .5, 1., 2j, 10**400, True, None, ...]
escapes = "tab\tnewline\n\x41\u00e9\U0001F600 \101 \q 'quote' \
continued"
nested = f"{naïve!r:>{10}} {{literal}} {numbers[0]=}" f'{"inner"}' "plain"
triple = '''one
two'''


@decorator
@module.decorator(1, key=[2])
class Model(Base, metaclass=Meta, **options):
    """A docstring."""

    x: int
    y: dict[str, list[int]] | None = None
    (z): "forward" = field(default=1)

    async def forward(self, a, /, b: int = 1, *args: float, c, d=lambda q, *r, s=1, **t: (yield), **kwargs) -> list[int] | None:
        """Another."""
        global counter, total
        async with open(a) as f, b:
            async for i, *rest in stream():
                await f.read()
            else:
                pass
        return [await each async for each in self if each if not each]

    @property
    def size(self): return self._size; pass

    def generator(self):
        def inner():
            nonlocal_value = 1

            def innermost():
                nonlocal nonlocal_value
                nonlocal_value += 1
                return lambda: nonlocal_value
            return innermost
        x = yield
        y = yield 1, 2
        yield from inner()
        class Local:
            def method(self): return (yield)
        return x, y


def positions(a, b=(1), *, c: int, d: str = "x"):
    a, b = b, a
    (a, b), [c, d] = *c, d
    a = b = c = 1
    a += 1; b -= 2; c *= 3; d @= 4; a //= 5; b **= 6; c %= 7; d <<= 8; a >>= 9; b &= 1; c ^= 2; d |= 3; a /= 4
    x = a + b * c ** -d // e % f @ g - (h << i >> j) | k & l ^ ~m
    y = not a and b or (c and d and e) or f
    z = a < b <= c == d != e > f >= g is h is not i in j not in k
    w = a if b else c if d else e
    call(a, *b, c=d, **e)(f)(g for g in h)[i][j:k, ::l, ..., None, m:,][n,][(o, p)].q
    (yield_ := call(a := 1, (b := 2)))
    matrix[*index, 0] = (a)
    del a, (b, c), d.e, f[0]
    {**a, "b": c, 1: 2, **d}, {a, *b}, {a: b for a, b in c}, {a for a in b if c for d in e}, (a for a in b), [], (), {}
    assert a, "message"
    assert (a,
            b)
    return (
        # a comment in between
        a
        .b(c,
           d)  # another
    )


if a:
    pass
elif b: c
elif d:
    e
else:
    f

for i in range(3): break
else:
    j

for a, b in (c, d), e:
    continue

while a:
    b
else:
    c

try:
    a
except ValueError:
    b
except (TypeError, KeyError) as error:
    raise error from None
except:
    raise
else:
    c
finally:
    d

try:
    a
except* OSError as group:
    b

with a: pass
with a as b, c as (d, e): f
with (a as b, c as d,):
    e
with (a, b): c
with (a): b
with (yield_): c

match command, other:
    case 1 | -2.5 | "text" | None: a
    case [Point(x=0, y=[first, *rest]), {"key": value, **others}] if first > 1:
        b
    case (a | b) as c: d
    case module.CONSTANT: e
    case str() | int(): f
    case captured, _: g
    case _:
        h

match = case = type = print
match.case(type)[print]
print(match, file=type)

if True:
	tabbed = 1

lambda: 1
lambda *, a: a
lambda *a, **b: (a, b)
a \
    .b \
    .c
x = a if \
    b else c
async def last(): ...
