"""`./cavern bench`: what the simulator itself takes, in time, instructions, memory and gates.

A bench is a function from a console to figures by name, listed in command.py.
"""
