"""What a job of each kind does, with documents and questions (`library`) and on the web (`web`)."""
