# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The C view of one amdsmi binding: its symbols, constants and struct layouts, read from the binding itself.

No vendor header is read: the ctypes classes of the installed ``amdsmi_wrapper.py`` are the only input. It is imported
with ``ctypes.CDLL`` replaced, so that no library is needed, and every symbol that it binds is recorded.
"""

from __future__ import annotations

import ctypes
import importlib.util
import re
import sys
import types
import typing as t
from pathlib import Path

SCALARS = {"c_char": "char", "c_bool": "bool", "c_float": "float", "c_double": "double"}
KIND = {True: "int", False: "uint"}


class Recorder:
    """Stands in for the library: remembers the names that are asked for."""

    def __init__(self) -> None:
        self.names: dict[str, types.SimpleNamespace] = {}

    def __getattr__(self, name: str) -> types.SimpleNamespace:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.names.setdefault(name, types.SimpleNamespace(restype=None, argtypes=None))


def load(wrapper: Path) -> tuple[types.ModuleType, dict[str, int]]:
    """Import a binding's wrapper without a library; returns it, and the symbols it binds: name -> arguments."""
    recorder = Recorder()
    original = ctypes.CDLL
    ctypes.CDLL = lambda *_args, **_kwargs: recorder  # type: ignore[assignment,misc]
    try:
        spec = importlib.util.spec_from_file_location("amdsmi_wrapper", wrapper)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        ctypes.CDLL = original  # type: ignore[misc]
    return module, {name: len(function.argtypes or ()) for name, function in sorted(recorder.names.items())}


def is_record(kind: t.Any) -> bool:
    """Whether a ctypes type is a struct or a union."""
    return isinstance(kind, type) and issubclass(kind, (ctypes.Structure, ctypes.Union))


class Header:
    """Collects C text; a struct is written after those that it holds."""

    def __init__(self) -> None:
        self.lines = ["#pragma once", "#include <stdbool.h>", "#include <stddef.h>", "#include <stdint.h>"]
        self.done: dict[type, str] = {}

    def constant(self, name: str, value: int) -> None:
        """A constant; what is larger than an int is unsigned."""
        self.lines.append(f"#define {name} {value if value < 2**31 else hex(value)}")

    def record(self, kind: t.Any) -> str:
        """Write a struct or union, once; returns its C name."""
        if kind in self.done:
            return self.done[kind]
        name = f"record_{len(self.done)}_{kind.__name__}"
        self.done[kind] = name
        fields = list(kind._fields_)
        if any(len(field) == 3 for field in fields):  # bit-fields: as raw bytes
            fields = []
            body = [f"    uint8_t raw[{ctypes.sizeof(kind)}];"]
        else:
            body = [f"    {self.declaration(field[0], field[1])};" for field in fields]
        word = "union" if issubclass(kind, ctypes.Union) else "struct"
        self.lines += [
            f"typedef {word} __attribute__((packed)) {{",
            *body,
            f"}} {name};",
            f'_Static_assert(sizeof({name}) == {ctypes.sizeof(kind)}, "size of {kind.__name__}");',
        ]
        for field in fields:
            place = getattr(kind, field[0]).offset
            self.lines.append(f'_Static_assert(offsetof({name}, {field[0]}) == {place}, "{kind.__name__}.{field[0]}");')
        return name

    def declaration(self, name: str, kind: t.Any) -> str:
        """One field."""
        lengths = ""
        while hasattr(kind, "_length_"):
            lengths += f"[{kind._length_}]"
            kind = kind._type_
        return f"{self.scalar(kind)} {name}{lengths}"

    def scalar(self, kind: t.Any) -> str:
        """The C type of something that is no array."""
        if is_record(kind):
            return self.record(kind)
        if hasattr(kind, "contents") or kind is ctypes.c_void_p or kind is ctypes.c_char_p:
            return "const void *"
        if kind.__name__ in SCALARS:
            return SCALARS[kind.__name__]
        signed = kind(-1).value < 0
        return f"{KIND[signed]}{ctypes.sizeof(kind) * 8}_t"

    def typedef(self, alias: str, kind: t.Any) -> None:
        """A named struct of the binding, and which fields it has: versions differ."""
        self.lines += [f"typedef {self.record(kind)} {alias};", f"#define HAS_{alias} 1"]
        self.lines += [
            f"#define HAS_{alias}_{field[0]} 1" for field in kind._fields_ if not field[0].startswith("PADDING")
        ]


def header(module: types.ModuleType, symbols: t.Mapping[str, int]) -> str:
    """Text of abi.h."""
    text = Header()
    for name, value in sorted(vars(module).items()):
        if re.fullmatch(r"(AMDSMI|CLK_LIMIT|AGG)_?\w*", name) and isinstance(value, int):
            text.constant(name, value)
    for name, value in sorted(vars(module).items()):
        if name.startswith("amdsmi_") and is_record(value) and value._fields_:
            text.typedef(name, value)
    for symbol, arguments in symbols.items():
        text.lines += [f"#define HAS_{symbol} 1", f"#define ARGUMENTS_{symbol} {arguments}"]
    return "\n".join(text.lines) + "\n"


def stubs(symbols: t.Iterable[str]) -> str:
    """Text of stubs.c: a weak function for each symbol, which gives way to one of ours."""
    lines = ["int sim_stub(const char *name);"]
    lines += [
        f'__attribute__((weak, visibility("default"))) int {symbol}(void) {{ return sim_stub("{symbol}"); }}'
        for symbol in symbols
    ]
    return "\n".join(lines) + "\n"


def generate(wrapper: Path, folder: Path) -> int:
    """Write abi.h and stubs.c; returns the number of symbols."""
    module, symbols = load(wrapper)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "abi.h").write_text(header(module, symbols), encoding="utf-8")
    (folder / "stubs.c").write_text(stubs(symbols), encoding="utf-8")
    return len(symbols)


if __name__ == "__main__":
    print(generate(Path(sys.argv[1]), Path(sys.argv[2])), "symbols")
