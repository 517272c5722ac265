"""Web search and crawling: engines, paging, politeness, visits.

The core does no I/O; fetcher and browser are plugged in.
"""
