"""Stage parse: clauses, dependencies, cooking actions and proto-actions of recipe texts."""
