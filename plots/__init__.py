"""Figures and reports from the result files of a Cavern run; nothing here simulates."""
