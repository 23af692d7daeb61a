"""Stage pivot: pivot actions, order constraints and evaluation instances of dish pairs."""
