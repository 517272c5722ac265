"""The handlers, one for each kind of job: with documents and questions (`library`) and on the web
(`web`)."""
