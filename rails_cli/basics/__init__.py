"""Parts that depend on no other package except the rules: files, seeds, tokens, settings, processes, schemas."""
