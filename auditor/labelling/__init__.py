"""People label turns: which are drawn, how they are asked, imported, counted and compared."""
