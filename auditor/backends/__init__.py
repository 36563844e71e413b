"""Where a question is answered: one file for each kind of decision model."""
