# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The one file that touches the vendor binding as such: it loads it, guards it, and makes plain data of its answers.

It is given to a child process together with one program: amdsmi_read, amdsmi_set or amdsmi_processes (child.py). All of
them stand alone: standard library only, no import from this collection but of each other.
Request of every program, a JSON object: ``binding`` (folder that holds the package amdsmi), ``library`` (path of
libamd_smi), ``accept`` (first numbers of library versions that belong to the binding), ``call`` (whether to call it).
Answer: one JSON object a line on the original standard output; nothing else can get there.
  {"step": ...}  what is about to be called, so that a crash or a hang can be named
  {"library": [n, n, n], "build": ...}  the library's version; the binding is imported only if it is acceptable
  {"told": {address: {...}}}  a part of what is told of one GPU; or what else the program says
  {"error": ...}
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import json
import os
import resource
import sys
import typing as t
import warnings

Say = t.Callable[..., None]
Ask = t.Callable[..., t.Any]
Item = dict[str, t.Any]

NOT_SUPPORTED = 2
# What bindings raise by mistake, beside their own exceptions (seen with 6.0.2 to 7.0.2).
DEFECTS = (ValueError, TypeError, KeyError, AttributeError, IndexError, OSError, UnboundLocalError)
# (function, keys of its dictionary, or of the one in there) of one answer; the first that the binding has counts.
Calls = tuple[tuple[str, tuple[str, ...]], ...]
# The first is gone in the next major version. It stays the first, since the second loses every error up to 7.0.2.
# source: amdsmi_interface.py of the bindings 6.0.2 to 7.0.2 and 10.1
COMPUTE: Calls = (("amdsmi_get_gpu_compute_partition", ()),
                  ("amdsmi_get_gpu_accelerator_partition_profile", ("partition_profile", "profile_type")))
MEMORY: Calls = (("amdsmi_get_gpu_memory_partition", ()),)


def serve(request: Item, work: t.Callable[[t.Any, Item, Say], None]) -> None:
    """Answer one request: look at the library, and let the program work with the binding if they belong together."""
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    def say(**line: t.Any) -> None:
        answer.write(json.dumps(line) + "\n")
        answer.flush()

    warnings.simplefilter("ignore")  # 10.x warns of names that the next version drops
    sys.dont_write_bytecode = True
    raise_file_limit()
    try:
        say(step=f"loading {request['library']}")
        version, build = library_version(request["library"])
        say(library=version, build=build)
        if request["call"] and any(version[:len(line)] == line for line in request["accept"]):
            say(step="importing amdsmi")
            amdsmi = bind(request)
            try:
                work(amdsmi, request, say)
            except amdsmi.AmdSmiException as error:
                say(error=f"amdsmi: {reason(error)}")
    except OSError as error:
        say(error=f"the library cannot be loaded: {error}")
    except ImportError as error:
        say(error=f"the binding cannot be imported: {error}", other_python=True)
    except KeyError as error:
        say(error=f"the binding finds no library (KeyError {error})")
    except AttributeError as error:
        say(error=f"binding and library do not belong together: {error}", mismatch=True)


def raise_file_limit() -> None:
    """Let this process open as many files as it may: the library keeps some of each of 64 partitions open.

    source: ROCm/amdgpu-docs:docs/gpu-partitioning/mi300x/quick-start-guide.rst shows "too many open files"
    """
    with contextlib.suppress(OSError, ValueError):
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def library_version(path: str) -> tuple[list[int], str]:
    """Return the version numbers of the library and its build text. Needs no binding and no init.

    The structure is {year, major, minor, release, build} until 25.x and {major, minor, release, build} since 26.0, the
    pointer at offset 16 in both; the buffer is larger. source: amdsmi_version_t in bindings 6.4.4 and 7.0.2
    """
    library = ctypes.CDLL(path)
    buffer = (ctypes.c_uint64 * 64)()
    library.amdsmi_get_lib_version(ctypes.byref(buffer))
    words = list((ctypes.c_uint32 * 4).from_buffer(buffer))
    words = words[1:] if not words[0] else words[:3]  # a year of 0 says nothing
    text = ctypes.string_at(buffer[2]).decode("utf-8", "replace") if buffer[2] else ""
    return words, text


def bind(request: dict[str, t.Any]) -> t.Any:
    """Import the binding from its folder and return it; only for the library that was looked at."""
    for name in ("ROCM_HOME", "ROCM_PATH"):  # bindings up to 7.13
        os.environ[name] = os.path.dirname(os.path.dirname(request["library"]))
    os.environ["AMDSMI_LIB_OVERRIDE"] = request["library"]  # bindings from 7.14 on
    sys.path.insert(0, request["binding"])
    try:
        amdsmi = importlib.import_module("amdsmi")
    except ImportError:  # it needs more than the standard library, and this process was started without the rest
        importlib.import_module("site").main()
        amdsmi = importlib.import_module("amdsmi")
    with open("/proc/self/maps") as maps:
        loaded = {line.split()[-1] for line in maps if "libamd_smi" in line}
    if os.path.realpath(request["library"]) not in {os.path.realpath(path) for path in loaded} or len(loaded) > 1:
        raise AttributeError("the binding loaded " + ", ".join(sorted(loaded)))
    return amdsmi


@contextlib.contextmanager
def session(amdsmi: t.Any, say: Say) -> t.Iterator[list[t.Any]]:
    """Give the handles as they are now. They are a picture of this moment: what is set needs another session."""
    say(step="amdsmi_init")
    amdsmi.amdsmi_init()
    try:
        say(step="amdsmi_get_processor_handles")
        yield amdsmi.amdsmi_get_processor_handles()
    finally:
        amdsmi.amdsmi_shut_down()


def primaries(amdsmi: t.Any, handles: t.Iterable[t.Any]) -> dict[str, t.Any]:
    """Return PCI address -> handle of whole GPUs, which alone can be set: the first of each, and partition 0 of it."""
    found: dict[str, t.Any] = {}
    for handle in handles:
        if not partition(amdsmi, handle):
            found.setdefault(amdsmi.amdsmi_get_gpu_device_bdf(handle).lower(), handle)
    return found


def partition(amdsmi: t.Any, handle: t.Any) -> int | None:
    """Return the partition number of a handle; None where the binding cannot tell (before 6.3)."""
    try:
        number = amdsmi.amdsmi_get_gpu_kfd_info(handle)["current_partition_id"]
    except (amdsmi.AmdSmiException, *DEFECTS):
        return None
    return number if isinstance(number, int) and number < 64 else None


def asking(handle: t.Any) -> Ask:
    """Return what asks a handle. A call is made once, however many names want a part of its answer."""
    return functools.cache(lambda function, *arguments: function(handle, *arguments))


def call(amdsmi: t.Any, ask: Ask, name: str, calls: Calls, item: Item, arguments: t.Iterable[str] = ()) -> None:
    """Put one answer into the item, or why there is none. Arguments after the handle are members of enumerations."""
    def use(function: t.Any, keys: t.Iterable[str]) -> t.Any:
        value = ask(function, *members(amdsmi, arguments))
        for key in keys:
            value = value[key]
        return value

    for function, keys in calls:
        if attempt(amdsmi, function, name, item, lambda made, of=keys: use(made, of)):
            return


def attempt(amdsmi: t.Any, function: str, name: str, item: Item, use: t.Callable[[t.Any], t.Any]) -> bool:
    """Put what ``use`` makes of a function into the item, or why there is nothing. Whether the library answered.

    Not supported is an answer: the GPU has no such thing.
    """
    if not hasattr(amdsmi, function):
        item["unknown"][name] = f"{function} is not in this binding"
        return False
    try:
        item[name] = plain(use(getattr(amdsmi, function)))
        item["unknown"].pop(name, None)
    except amdsmi.AmdSmiLibraryException as error:
        if error.get_error_code() != NOT_SUPPORTED:
            item["unknown"][name] = f"{function}: {reason(error)}"
    except amdsmi.AmdSmiException as error:
        item["unknown"][name] = f"{function}: {reason(error)}"
        return False
    except DEFECTS as error:
        item["unknown"][name] = f"{function}: {type(error).__name__} {error}"
        return False
    return True


def members(amdsmi: t.Any, names: t.Iterable[str]) -> list[t.Any]:
    """Return members of enumerations by name: AmdSmiClkType.GFX."""
    return [getattr(getattr(amdsmi, kind), member) for kind, _dot, member in (name.partition(".") for name in names)]


def reason(error: t.Any) -> str:
    """Return an error of the binding in words: its number and the first line of its text."""
    code = error.get_error_code() if hasattr(error, "get_error_code") else ""
    text = (str(error).strip().splitlines() or [""])[-1].rpartition("| ")[2].strip()
    return f"error {code} {text}".strip()


def plain(value: t.Any) -> t.Any:
    """Return JSON data: enumeration members by name, bytes as text, everything else as it is."""
    if hasattr(value, "name") and hasattr(value, "value"):
        return value.name
    if isinstance(value, dict):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)
