"""Services of the operating system: clock, files, host names, the desktop."""
