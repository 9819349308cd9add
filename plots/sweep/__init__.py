"""The page of a sweep: its table read, analysed and drawn."""
