"""Settings to adapters to a library. The one room that knows both sides; optional drivers are imported here,
inside functions."""
