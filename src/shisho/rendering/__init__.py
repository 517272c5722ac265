"""Display answers: text, Markdown, HTML, PDF, bibliographies, and proof files."""
