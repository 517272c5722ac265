-- How far the time line of everything that is waited for is ahead of the server's clock (domain/timeline.py). `noted` and
-- `wall` are seconds since 1970: the latest that the line said, and what the server's clock said then.
CREATE TABLE timeline (
    one    boolean PRIMARY KEY CHECK (one),
    ahead  float8 NOT NULL,
    noted  float8 NOT NULL,
    wall   float8 NOT NULL
);
