"""A double of the Hugging Face hub for tests: a local server and what it serves."""

from hub_double.server import Hub, Repository

__all__ = ["Hub", "Repository"]
