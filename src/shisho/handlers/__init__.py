"""The handlers of all kinds of jobs: documents and questions (`library`), and the web (`web`)."""
