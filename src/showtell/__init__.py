"""showtell: answers from your own documents, in words and with the media that make the point."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from showtell.errors import ShowtellError
    from showtell.index.store import Scope
    from showtell.library import Library
    from showtell.types import Answer

__version__ = "0.1.0"
__all__ = ["Answer", "Library", "Scope", "ShowtellError", "__version__"]

_HOMES = {
    "Answer": "showtell.types",
    "Library": "showtell.library",
    "Scope": "showtell.index.store",
    "ShowtellError": "showtell.errors",
}


def __getattr__(name: str) -> Any:
    """Load an exported name when it is first asked for, so that ``import showtell`` stays instant."""
    if name not in _HOMES:
        raise AttributeError(f"module 'showtell' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
