"""Sets of questions: researched one after another, compared between prompts and models, and evaluated."""
