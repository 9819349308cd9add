"""What may be called a difference: one set of rules for the terminal and for every page."""
