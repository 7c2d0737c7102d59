"""Notebooks with the code of odd students, made by machine from a seed: a released one with odd pieces in it."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

# Limits under which a class of them takes seconds. What is right needs a hundredth of each.
LIMITS = """
[limits]
cpu_seconds = 0.5
wall_seconds = 2
total_cpu_seconds = 4
total_wall_seconds = 8
memory = 256
restarts = 3
"""

OUTPUT = (
    "while True: print('x' * 1000)",
    "while True: print(end='x')",
    "import sys\nwhile True: sys.stderr.write('\\r' + 'y' * 100)",
    "print('z' * 50_000_000)",
    "for n in range(100_000): print(n)",
    "from IPython.display import display, HTML\nfor n in range(3000): display(HTML('<script>' * n))",
    "import matplotlib.pyplot as p\nfor _ in range(3): p.figure(); p.title('$\\\\frac{1')\np.show()",
    "print('\\x1b[2J\\u202e\\x00 ł 数 \\ud800')",
    "import os\nos.write(1, b'raw ' * 100_000); os.write(2, b'\\xff' * 100_000)",
    "import logging\nlogging.basicConfig(level=0); logging.getLogger().debug('x' * 1_000_000)",
    "list(range(10_000_000))",
    "{'a': {'b': '\\u2028' * 1000}}",
)

ERRORS = (
    "class Odd(BaseException):\n    def __str__(self): raise self\nraise Odd",
    "class Odd(Exception):\n    def __repr__(self): raise SystemExit\n    __str__ = __repr__\nraise Odd",
    "class Odd(Exception):\n    def __str__(self): return 3\nraise Odd",
    "class Odd(Exception):\n    def __str__(self):\n        while True: pass\nraise Odd",
    "class M(type):\n    __name__ = property(lambda self: 1 / 0)\nclass Odd(Exception, metaclass=M): pass\nraise Odd",
    "raise type('x' * 1_000_000, (Exception,), {})('y' * 10_000_000)",
    "raise ExceptionGroup('many', [ValueError(n) for n in range(1000)])",
    "error = ValueError(); error.__cause__ = error; error.__context__ = error\nraise error",
    "raise KeyboardInterrupt",
    "raise GeneratorExit('\\ud800')",
    "raise StopIteration",
    "raise StopAsyncIteration",
    "raise MemoryError",
    "raise 3",
    "assert False, globals()",
    "1/0",
    "def f(:",
    "\tx = 1\n        y = 2",
    "x = 'no end",
    "return 3",
    "yield",
    "\x00",
    "ł = 'ß'; 数 = ł; ﬁ = 数; print(ﬁ, 'ﬁ' in globals())",
    "\ufeffx = 1\u00a0+ 2",
    "print(\u201cquoted\u201d)",
    "x = " + "(" * 300 + ")" * 300,
    "x = " + "-" * 100_000 + "1",
    "x = [" + "1, " * 100_000 + "]",
)

ENDS = (
    "import sys; sys.exit()",
    "import sys; sys.exit('good bye')",
    "exit()",
    "quit(3)",
    "raise SystemExit({'a': 1})",
    "import os; os._exit(0)",
    "import os; os._exit(7)",
    "import os; os.abort()",
    "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
    "import os, signal; os.killpg(0, signal.SIGTERM)",
    "import os, signal; os.kill(os.getppid(), signal.SIGKILL)",
    "import os, signal; os.kill(-1, signal.SIGKILL)",
    "import signal; signal.signal(signal.SIGALRM, signal.SIG_DFL); signal.setitimer(signal.ITIMER_REAL, 0.1)",
    "import signal\nfor n in range(1, 32):\n    try: signal.signal(n, signal.SIG_IGN)\n    except Exception: pass",
    "import ctypes; ctypes.string_at(0)",
    "import sys; sys.setrecursionlimit(10**9)\ndef f(n): return f(n + 1)\nf(0)",
    "def f(): return f()\nf()",
    "x = []\nfor _ in range(1_000_000): x = [x]\nprint(x)",
    "import atexit, os; atexit.register(os._exit, 3)",
    "import time; time.sleep(1000)",
    "input('a number: ')",
    "while True: pass",
    "x = 3\nwhile True: x **= 3",
    "open('/dev/zero').read()",
    "import sys; sys.stdin.read()",
)

RESOURCES = (
    "x = bytearray(1 << 40)",
    "x = []\nwhile True: x.append(bytearray(1 << 20))",
    "x = 'a'\nwhile True: x += x",
    "import numpy as n; x = n.ones((1 << 15, 1 << 15))",
    "with open('big', 'wb') as file:\n    while True: file.write(bytes(1 << 20))",
    "import os\nfor n in range(10_000): open(f'f{n}', 'w')",
    "import os\nkept = []\nwhile True: kept.append(os.open('.', 0))",
    "import os\nwhile True: os.mkdir('d'); os.chdir('d')",
    "import threading\ndef f():\n    while True: pass\nfor _ in range(20): threading.Thread(target=f).start()",
    "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()",
    "import threading\ndef f():\n    while True: print('late')\nthreading.Thread(target=f, daemon=True).start()",
    "import os\nwhile True: os.fork()",
    "import os\nif os.fork() == 0:\n    while True: pass",
    "import subprocess; subprocess.run(['sleep', '1000'])",
    "import multiprocessing; multiprocessing.Pool(2).map(len, ['a'])",
    "from concurrent.futures import ThreadPoolExecutor as P\npool = P(); [pool.submit(print, n) for n in range(100)]",
    "import socket; socket.create_connection(('127.0.0.1', 80), 1)",
    "import shutil; shutil.rmtree('.')",
    "import os; os.chmod('.', 0); os.chdir('/')",
)

STATE = (
    "import builtins; builtins.print = None",
    "import builtins; builtins.len = lambda *a: 0; builtins.isinstance = lambda *a: True",
    "import builtins; del builtins.__import__",
    "import builtins; builtins.__build_class__ = builtins.open = builtins.compile = builtins.exec = None",
    "import builtins; builtins.Exception = int; builtins.BaseException = str",
    "import builtins\nfor name in dir(builtins): setattr(builtins, name, None)",
    "import numpy; numpy.array = numpy.asarray = numpy.ndarray = None",
    "import numpy; numpy.float64 = int; numpy.allclose = lambda *a, **k: True",
    "import numpy; numpy.seterr(all='raise'); numpy.set_printoptions(threshold=1, precision=0)",
    "import numpy; numpy.add = numpy.multiply = lambda *a, **k: 42",
    "import numpy.random; numpy.random.seed(0); numpy.random.default_rng = None",
    "import sys; sys.modules.clear()",
    "import sys; sys.stdout = sys.stderr = None",
    "import sys; sys.stdout.close(); sys.__stdout__.close()",
    "import os; os.closerange(0, 100)",
    "import os; os.environ.clear(); os.chdir('/'); os.umask(0o777)",
    "import sys; sys.settrace(lambda *a: 1 / 0)",
    "import sys; sys.setprofile(lambda *a: None); sys.setswitchinterval(1000)",
    "import sys; sys.excepthook = sys.displayhook = sys.unraisablehook = None",
    "import sys; sys.path[:] = []; sys.meta_path[:] = []; sys.path_hooks[:] = []",
    "import gc; gc.disable(); gc.callbacks.append(lambda *a: 1 / 0); gc.set_threshold(1)",
    "import warnings; warnings.simplefilter('error'); warnings.warn('x')",
    "import json, struct, socket; json.dumps = struct.pack = socket.socket.send = None",
    "import time; time.time = time.monotonic = lambda: 'noon'",
    "globals().clear()",
    "check = print; np = None; double = quadruple = None",
    "del check",
    "import checks; checks.check = None; checks.__dict__.clear()",
    "get_ipython().reset()",
    "get_ipython().run_cell = None",
    "get_ipython().events.register('pre_run_cell', lambda *a: 1 / 0)",
    "get_ipython().set_custom_exc((BaseException,), lambda *a, **k: 1 / 0)",
    "get_ipython().ast_transformers.append(3)",
    "get_ipython().input_transformers_cleanup.append(lambda lines: 7)",
    "get_ipython().user_ns = None",
    "__name__ = 3; __builtins__ = {}; _ = __; In = Out = None",
    "import decimal, locale; decimal.getcontext().prec = 1; locale.setlocale(locale.LC_ALL, '')",
)

MAGICS = (
    "%time x = 1",
    "%%timeit\nx = 1",
    "%reset -f",
    "%pylab inline",
    "%matplotlib qt",
    "%run nothing.py",
    "%load_ext autoreload\n%autoreload 2",
    "%nothing of the kind",
    "%%nothing\nof the kind",
    "%%bash\nwhile true; do echo y; done",
    "!yes",
    "!pip install numpy",
    "files = !ls /",
    "%%writefile checks.py\nraise SystemExit",
    "%%capture\nwhile True: print('x')",
    "%debug",
    "%pdb on\n1/0",
    "%xmode Verbose\n1/0",
    "%who_ls\n%history -g\n%recall",
    "%cd /\n%env",
    "?print\nprint??",
    "await None\nimport asyncio; await asyncio.sleep(1000)",
    "import asyncio; asyncio.run(asyncio.sleep(1))",
    "async def f():\n    while True: yield\nasync for _ in f(): pass",
    "async with None: pass",
)

CELLS = OUTPUT + ERRORS + ENDS + RESOURCES + STATE + MAGICS

# What may stand for `2 * x` in a function's last line.
RESULTS = (
    "2 * x",
    "print('here') or 2 * x",
    "x",
    "None",
    "...",
    "NotImplemented",
    "(x := 2 * x)",
    "[2 * x]",
    "[2 * one for one in x]",
    "{'a': 2 * x}",
    "str(2 * x)",
    "str(2 * x) * 1_000_000",
    "(l := []).append(l) or l",
    "(d := {}).setdefault('d', d) and d",
    "10 ** 100_000",
    "float('nan')",
    "1e999",
    "complex(0, 1) * x",
    "set()",
    "range(10 ** 12)",
    "(2 * one for one in x)",
    "b'bytes' * 100_000_000",
    "memoryview(b'x')",
    "np.zeros(1 << 33, np.int8)",
    "np.zeros(1 << 26)",
    "np.broadcast_to(0.0, (1 << 20, 1 << 20))",
    "np.array([None, x], dtype=object)",
    "np.ma.masked_array(2 * x, True)",
    "np.asmatrix(2 * x)",
    "np.zeros(3, [('a', 'f8'), ('b', 'O')])",
    "np.array('text' * 1000)",
    "np.datetime64('now')",
    "np.float16(3)",
    "np.nan * x",
    "np.lib.stride_tricks.as_strided(np.zeros(1), (1 << 30,), (0,))",
    "type('Array', (np.ndarray,), {'__array_finalize__': lambda *a: 1 / 0})(3)",
    "type('Number', (float,), {'__eq__': lambda *a: True, '__sub__': lambda *a: 0})(3)",
    "type('Odd', (), {'__class__': property(lambda s: np.ndarray), '__getattr__': lambda s, n: s})()",
    "type('Odd', (), {'__array__': lambda *a, **k: 1 / 0, '__len__': lambda s: -1})()",
    "type('Odd', (), {'__repr__': lambda s: repr(s), '__reduce__': lambda s: (print, ())})()",
    "__import__('decimal').Decimal(2)",
    "__import__('fractions').Fraction(2, 3)",
    "__import__('threading').Lock()",
    "__import__('functools').reduce(lambda a, _: [a], range(100_000), [])",
    "[[0.0] * 1000] * 10_000",
    "['x' * 1_000_000] * 200",
    "{n: n for n in range(1_000_000)}",
    "{(1, 2): x, None: x, float('nan'): x}",
    "'\\ud800'",
    "open('/dev/null')",
    "double",
    "Exception('returned')",
    "int",
    "np",
    "__builtins__",
    "lambda *a: 2 * x",
    "super()",
    "x.missing",
    "x[10 ** 9]",
    "x.__setitem__(..., 0)",
    "double(x)",
    "quadruple(x)",
    "eval('2 * x')",
    "exec('while True: pass')",
    "check('double')",
    "check('quadruple') or 2 * x",
    "globals()['nothing']",
    "np.add(x, x, out=x)",
    "sum(2 * x)",
    "__import__('os')._exit(5)",
    "__import__('sys').exit()",
    "__import__('time').sleep(1000)",
    "input()",
    "(_ for _ in ()).throw(BaseException(BaseException))",
)

# How a function `NAME` may be defined, with RESULT in it.
FUNCTIONS = (
    "def NAME(x):\n    return RESULT",
    "def NAME(x):\n    return RESULT",
    "def NAME(x):\n    return RESULT",
    "def NAME(x, *more, y=[], **others):\n    y.append(x)\n    return RESULT",
    "def NAME(x, /):\n    global START\n    START = globals().get('START', 0) + 1\n    return RESULT",
    "def NAME(x):\n    '''" + "doc " * 100_000 + "'''\n    return RESULT",
    "def NAME(x):\n    '''\\N{NO-BREAK SPACE}\\x00 >>> NAME(3)\n    \\\\end{x} <script> ```'''\n    return RESULT",
    "def NAME(x: 1 / 1 = None) -> 'nothing':\n    return RESULT",
    "def NAME():\n    return RESULT",
    "def NAME(x, y):\n    return RESULT",
    "def NAME(*, x):\n    return RESULT",
    "def NAME(x):\n    yield RESULT",
    "async def NAME(x):\n    return RESULT",
    "async def NAME(x):\n    yield RESULT",
    "NAME = lambda x: RESULT",
    "def NAME(x):\n    try:\n        return RESULT\n    finally:\n        print('done')",
    "def NAME(x):\n    try:\n        return RESULT\n    except BaseException:\n        return NAME(x)",
    "def NAME(x):\n    with np.errstate(all='raise'):\n        return RESULT",
    "class NAME:\n    def __new__(cls, x):\n        return RESULT",
    "class NAME:\n    def __init__(self, x):\n        self.value = RESULT",
    "class Callable_:\n    def __call__(self, x):\n        return RESULT\nNAME = Callable_()",
    "class C:\n    def __getattr__(self, name): return self\n    def __call__(self, x): return RESULT\nNAME = C()",
    "import functools\n@functools.lru_cache\ndef NAME(x):\n    return RESULT",
    "import functools\n@functools.singledispatch\ndef NAME(x):\n    return RESULT",
    "import contextlib\n@contextlib.contextmanager\ndef NAME(x):\n    yield RESULT",
    "@np.vectorize\ndef NAME(x):\n    return RESULT",
    "@print\ndef NAME(x):\n    return RESULT",
    "@property\ndef NAME(x):\n    return RESULT",
    "@lambda f: lambda *a: f(*a)\n@staticmethod\ndef NAME(x):\n    return RESULT",
    "def make(n):\n    def NAME(x):\n        return make(n - 1)(x) if n else RESULT\n    return NAME\nNAME = make(900)",
    "from functools import partial\nNAME = partial(lambda y, x: RESULT, 3)",
    "NAME = abs",
    "NAME = 3",
    "NAME = None",
    "NAME = type('NAME', (), {})",
    "NAME = np",
    "import builtins\nbuiltins.NAME = lambda x: RESULT",
    "match 3:\n    case NAME: pass",
    "del NAME",
)


def make_odd(release: NotebookNode, seed: int) -> tuple[NotebookNode, str]:
    """The released notebook with odd code at one to three places; what was put there, in words."""
    chance = random.Random(seed)
    notebook = copy.deepcopy(release)
    pieces = list(_pieces(notebook, chance, chance.randint(1, 3)))
    return notebook, "; ".join(pieces)


def _pieces(notebook: NotebookNode, chance: random.Random, number: int) -> Iterator[str]:
    functions = {cell.id: cell for cell in notebook.cells if cell.id in ("double-code", "quadruple-code")}
    for cell in functions.values():
        cell.source = _function(
            cell, "2 * x" if cell.id == "double-code" else "4 * x", "def NAME(x):\n    return RESULT"
        )
    for _ in range(number):
        cell = chance.choice(list(functions.values()))
        if chance.random() < 0.5:
            cell.source = _function(cell, chance.choice(RESULTS), chance.choice(FUNCTIONS))
            yield f"{cell.id} is {cell.source[-300:]!r}"
            continue
        piece = chance.choice(CELLS)
        place = chance.choice(("before", "after", "own"))
        if place == "own":
            at = chance.randint(0, len(notebook.cells))
            notebook.cells.insert(at, new_code_cell(piece, id=f"own-{at}-{len(notebook.cells)}"))
        else:
            both = (piece, cell.source) if place == "before" else (cell.source, piece)
            cell.source = "\n\n".join(both)
        yield f"{place} {cell.id} {piece[:300]!r}"


def _function(cell: NotebookNode, result: str, form: str) -> str:
    return form.replace("RESULT", result).replace("NAME", cell.id.removesuffix("-code"))
