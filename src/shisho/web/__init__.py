"""From a query to pages read: engines, paging, politeness, crawling. Its core does no I/O; fetch and browser
are plugged in."""
