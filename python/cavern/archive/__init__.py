"""`./cavern archive`: results with all that they came from in one file, which can be run again."""
