"""The reading room: pages over the public REST and its events. No framework, nothing from elsewhere."""
