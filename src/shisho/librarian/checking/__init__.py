"""Check what an answer states against its quotations."""
