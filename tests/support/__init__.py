"""What tests share, and what writes the files they compare with."""
