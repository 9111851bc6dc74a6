"""The report as a Word document, which Pandoc makes from a tree, a reference document and a template."""
