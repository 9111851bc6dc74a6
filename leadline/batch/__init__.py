"""Sets of questions: researched as a batch, compared between prompts and models, and evaluated."""
