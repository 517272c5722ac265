"""The services of the machine: clock, files, names of hosts, the desktop."""
