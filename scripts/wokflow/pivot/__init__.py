"""Stage pivot: from dish pairs to pivot actions, order constraints and evaluation instances."""
