"""The web application: a JSON API and a page over the `attention` library."""

__version__ = "0.1.0"
