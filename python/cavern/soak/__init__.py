"""`./cavern soak`: drives, loads, cuts of power and inputs drawn at random, held against each other
and against what every run promises; a seed that fails is shrunk."""
