"""Speed, as ratios against yardsticks that are measured in turn with the program in one run."""
