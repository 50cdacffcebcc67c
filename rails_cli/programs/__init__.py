"""Programs that play: started with limits, possibly in a sandbox, read with deadlines, checked, and ended."""
