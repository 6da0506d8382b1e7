"""A script as it is being written: what run it tells, in which dialect, and its lines so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import dedent

from torch import Tensor

from attention.arrays import as_tensor
from attention.dimensions import Dimensions
from attention.errors import Path
from attention.result import Result
from attention.scripts import numbers
from attention.scripts.dialects import Torch
from attention.specification import Specification

DECODED = '''
def decoded(kind, shape, text):
    """Little-endian numbers in base64."""
    array = np.frombuffer(base64.b64decode(text), kind).reshape(shape)
    return {array}
'''


SIXTEEN_BITS = ("float16", "bfloat16")
STANDARD = ("base64", "math")
LINE = 100


@dataclass
class Draft:
    """Statements, comments and small functions in their order."""

    result: Result
    dialect: Torch
    title: str
    imports: set[str] = field(default_factory=set)
    functional: set[str] = field(default_factory=set)
    _functions: dict[str, str] = field(default_factory=dict)
    _lines: list[str] = field(default_factory=list)
    _bound: set[str] = field(default_factory=set)

    @property
    def spec(self) -> Specification:
        """What the run was asked for."""
        return self.result.task.spec

    @property
    def dims(self) -> Dimensions:
        """The run's lengths."""
        return self.result.layout

    @property
    def new_keys(self) -> str:
        """The letter for the number of keys that are not from the cache."""
        return "N" if self.dims.P else "S"

    def section(self, title: str) -> None:
        """An empty line, and what follows."""
        self._lines.append(f"\n# {title}")

    def say(self, comment: str) -> None:
        """A comment of its own line."""
        self._lines.append(f"# {comment}")

    def say_rounding(self) -> None:
        """Why 16-bit results of a fused function differ in their last digits."""
        if self.spec.dtype in SIXTEEN_BITS:
            self.say(f"{self.spec.dtype}: the stages written out round each result, this function")
            self.say("fewer of them, so that the last digits can differ from theirs")

    def put(self, statement: str, axes: str = "") -> None:
        """A statement, with the axes of its result at the line's end."""
        self._lines.append(statement + (f"  # [{axes}]" if axes else ""))

    def call(self, target: str, function: str, arguments: Sequence[str], axes: str = "") -> None:
        """``target = function(arguments)``, the arguments on a line of their own if need be."""
        inside = ", ".join(arguments)
        if len(target) + len(function) + len(inside) + len(axes) > LINE - len(" = ()  # []"):
            inside = f"\n    {inside}\n"
        self.put(f"{target} = {function}({inside})", axes)

    def define(self, name: str, text: str) -> None:
        """A small function; all of them stand before the statements."""
        self._functions.setdefault(name, dedent(text).strip())

    def once(self, name: str, value: str, axes: str) -> str:
        """A name that several statements use, bound where it is first needed."""
        if name not in self._bound:
            self._bound.add(name)
            self.put(f"{name} = {value}", axes)
        return name

    def floats(self, value: object, loc: Path, shape: Sequence[int] | None = None) -> str:
        """Numbers of the specification in the run's dtype, in the given or their own shape."""
        stored = as_tensor(value, loc)  # type: ignore[arg-type]
        stored = stored.reshape(tuple(stored.shape if shape is None else shape))
        if numbers.is_short(stored):
            text = numbers.written(stored, self.spec.dtype)
            self.imports |= numbers.names_in(text)
            return self.dialect.made(text, "dtype")
        kind, data = numbers.packed(stored.to(self.result.task.reader.dtype))
        array = self._decoded(kind, stored, data)
        return self.dialect.cast(array) if self.spec.dtype == "bfloat16" else array

    def integers(self, values: Tensor) -> str:
        """Whole numbers as int64."""
        if numbers.is_short(values):
            return self.dialect.made(numbers.written(values), self.dialect.kind("int64"))
        return self._decoded("<i8", values, numbers.packed(values.long())[1])

    def booleans(self, values: Tensor) -> str:
        """True and false, written 1 and 0."""
        if numbers.is_short(values):
            return self.dialect.made(numbers.written(values.int()), self.dialect.kind("bool"))
        return self._decoded("?", values, numbers.packed(values)[1])

    def _decoded(self, kind: str, values: Tensor, data: str) -> str:
        self.imports |= {"import base64", "import numpy as np"}
        native = 'array.astype(array.dtype.newbyteorder("="))'
        self.define("decoded", DECODED.format(array=self.dialect.from_numpy(native)))
        return f'decoded("{kind}", {tuple(values.shape)}, """\n{data}""")'

    def text(self) -> str:
        """The whole script."""
        imports = self.imports | {self.dialect.module_import}
        if self.functional:
            imports.add(f"from torch.nn.functional import {', '.join(sorted(self.functional))}")
        standard = sorted(line for line in imports if line.split()[1] in STANDARD)
        others = sorted(imports - set(standard), key=lambda line: (line[0] != "i", line))
        groups = ["\n".join(lines) for lines in (standard, others) if lines]
        head = "\n\n".join([f'"""{self.title}"""', *groups])
        body = "\n".join(self._lines).strip()
        gap = "\n\n\n" if self._functions else "\n\n"
        return gap.join([head, *self._functions.values(), body]) + "\n"
