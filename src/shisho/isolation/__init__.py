"""Where bytes of strangers are looked at: a function over them runs in a child process that is killed when it
overruns."""
