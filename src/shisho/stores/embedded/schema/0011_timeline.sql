-- Where the time line of everything that is waited for begins in this run of the machine. `at` and `noted` are seconds since
-- 1970: what it said at `monotonic` seconds after the machine's start, and the latest that was known of it.
CREATE TABLE timeline (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    boot       TEXT NOT NULL,
    at         REAL NOT NULL,
    monotonic  REAL NOT NULL,
    noted      REAL NOT NULL
) STRICT;
