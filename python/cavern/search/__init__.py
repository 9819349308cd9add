"""`./cavern search`: the best of many drives, without simulating each (docs/sweep.md)."""
