"""Workers of the job queue."""
