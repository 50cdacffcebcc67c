"""Board files: the standard ones, and mistakes in others."""
