"""Playing of a tournament: worker processes play the games of one seed after another. The runner stores the results."""
