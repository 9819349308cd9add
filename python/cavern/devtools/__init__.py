"""Commands for those who change Cavern: its tests and checks."""
