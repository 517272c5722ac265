"""Isolation of untrusted bytes.

A function over them runs in a child process, which is killed if it exceeds its limits.
"""
