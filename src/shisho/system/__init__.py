"""What the machine gives: clock, files, names of hosts, the desktop."""
