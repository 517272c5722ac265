"""A web in a box: engines in their own markup and the pages they lead to, all on this machine. For tests,
demo and bench."""
