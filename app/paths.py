"""Where the page's templates and static files lie, in a checkout and in an installed wheel."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent

# A wheel has no place beside its packages for loose directories, so it carries them in `app/_page`.
_IN_WHEEL = _PACKAGE / "_page"
_ROOT = _IN_WHEEL if _IN_WHEEL.is_dir() else _PACKAGE.parent

TEMPLATES_DIRECTORY = _ROOT / "templates"
STATIC_DIRECTORY = _ROOT / "static"
