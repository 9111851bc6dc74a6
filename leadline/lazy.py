"""Packages whose own contents are loaded when somebody asks for them, so that importing one of their parts is cheap.

Some libraries gather hundreds of modules in a package's `__init__`. A program that needs three of them
(`import openai.types.chat`) loads all. A postponed package is there at once, with its path, so that its parts can be
imported; its `__init__` runs on the first use of any name that is not there yet. It is the idea of the standard library's
`importlib.util.LazyLoader`, which runs a package as soon as one of its parts is imported.
"""

import sys
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType
from typing import Any


class _Postponed(ModuleType):
    """A package that has not run yet; once it has, it is a module like any other."""

    def __getattr__(self, name: str) -> Any:
        with self.__dict__.get("_lock") or nullcontext():
            loader = self.__dict__.pop("_loader", None)
            if loader is not None:
                try:
                    loader.exec_module(self)
                except BaseException:
                    self.__dict__["_loader"] = loader
                    raise
                self.__class__ = ModuleType  # type: ignore[assignment]  # a plain module from here on
        if type(self) is ModuleType:
            return getattr(self, name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


class _PostponingLoader(Loader):
    def __init__(self, real: Loader) -> None:
        self._real = real

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Postponed(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Run nothing yet, but be ready to; before this, the machinery itself asks for names that are not there."""
        module.__dict__.update(_loader=self._real, _lock=RLock())


class _PostponingFinder(MetaPathFinder):
    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._names:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None or spec.submodule_search_locations is None:
            return spec
        spec.loader = _PostponingLoader(spec.loader)
        return spec


def postpone(names: Iterable[str]) -> None:
    """Postpone packages that have not been imported yet, by their full names; one that is not installed stays missing."""
    sys.meta_path.insert(0, _PostponingFinder(names))
