"""Numba's private names: all of them are looked up here, because another version may lack one.

A missing name costs speed or the cache on disk, never an answer, and one line says so.
"""

from contextlib import nullcontext
from importlib import import_module
from operator import attrgetter
from typing import Any, Final

import numba

from threefold.engine.cache import say_once

#: A compiled function as plain values, and back; and those values as bytes.
REDUCE: Final = "numba.core.compiler:CompileResult._reduce"
REBUILD: Final = "numba.core.compiler:CompileResult._rebuild"
DUMPS: Final = "numba.core.serialize:dumps"
#: The compiler for this processor, and how it names the processor.
COMPILER: Final = "numba.core.registry:cpu_target.target_context.codegen"
PROCESSOR: Final = "numba.core.codegen:CPUCodegen.magic_tuple"
#: The attribute of a dispatcher that it loads and saves compiled code with.
CACHE: Final = "_cache"
#: The options that `njit` accepts.
OPTIONS: Final = "numba.core.registry:cpu_target.options"
#: Numba's memory manager, and what it is started for.
MEMORY: Final = "numba.core.runtime:rtsys"
TARGET: Final = "numba.core.registry:cpu_target.target_context"
#: What a thread holds while it is in LLVM.
LOCK: Final = "llvmlite.binding.ffi:lib._lock"


def find(name: str) -> Any:
    """What a private name stands for (`module:attribute.attribute`), or None if it is missing."""
    module, _, attributes = name.partition(":")
    try:
        return attrgetter(attributes)(import_module(module))
    except (ImportError, AttributeError):
        return None


def can_keep(dispatcher: Any, *names: str) -> bool:
    """Whether a dispatcher takes a cache and these names are there; if not, say so once."""
    missing = [name for name in names if find(name) is None]
    if not hasattr(dispatcher, CACHE):
        missing.append(f"{type(dispatcher).__name__}.{CACHE}")
    if missing:
        say_once(
            f"Numba {numba.__version__} lacks {', '.join(missing)}, so compiled code is not kept "
            "on disk and is compiled again in each process"
        )
    return not missing


def processor() -> str:
    """The processor that machine code is made for; nothing is kept if Numba does not name it."""
    if find(PROCESSOR) is None or (compiler := find(COMPILER)) is None:
        return ""
    return repr(compiler().magic_tuple())


def options(**wanted: Any) -> dict[str, Any]:
    """The options of `njit` that this version has; without the others code is slower."""
    known = find(OPTIONS)
    missing = [name for name in wanted if not hasattr(known, name)]
    if missing:
        say_once(
            f"Numba {numba.__version__} lacks the options {', '.join(missing)}, so compiled code "
            "is slower"
        )
    return {name: value for name, value in wanted.items() if name not in missing}


def can_start_memory_manager() -> bool:
    """Whether `start_memory_manager` does anything."""
    return find(MEMORY) is not None and find(TARGET) is not None


def start_memory_manager() -> None:
    """Start Numba's memory manager, which code that allocates needs.

    Numba starts it when it compiles such code, but not when it loads it.
    """
    if can_start_memory_manager():
        find(MEMORY).initialize(find(TARGET))


def leave_output_alone(errors: str) -> None:
    """Keep a compiler from replacing `sys.stdout` for a moment whenever it words an error.

    It does so where colorama is installed, in our thread, for thousands of errors that only end an
    attempt of its own. What another thread prints or redirects at that moment would go astray.
    """
    module: Any = import_module(errors)
    if hasattr(module, "ColorShell"):
        module.ColorShell = nullcontext


def keep_others_out_of_llvm() -> None:
    """Wait until no thread is in LLVM, and never let another one in."""
    lock = find(LOCK)
    if lock is not None:
        lock.__enter__()
