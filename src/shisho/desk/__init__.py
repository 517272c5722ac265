"""The desk: what a visitor may ask, each verb once. `front` is the facade that interfaces are thin shells
over."""

from shisho.desk.adding import resolve_path
from shisho.desk.desk import Desk

__all__ = ["Desk", "resolve_path"]
