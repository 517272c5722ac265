"""Crawling of web pages: the frontier, robots.txt, one visit."""
