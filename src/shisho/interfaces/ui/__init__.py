"""The reading room: pages over the public REST API and its events, without frameworks or external files."""
