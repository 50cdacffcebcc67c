"""Bots as processes: started with limits and possibly in a sandbox, read with deadlines, checked, and ended."""
