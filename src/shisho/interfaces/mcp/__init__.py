"""The Model Context Protocol: tools, resources, tasks."""
