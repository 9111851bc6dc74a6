"""References for other programs: CSL-JSON, BibTeX, and the citation styles of journals."""
