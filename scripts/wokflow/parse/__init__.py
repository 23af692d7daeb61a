"""Stage parse: from recipe texts to clauses, dependencies, cooking actions and proto-actions."""
