"""Files that people bring: streamed to disk, checked once, kept under the hash of their content."""

from app.uploads.store import Store
from app.uploads.upload import Upload

__all__ = ["Store", "Upload"]
