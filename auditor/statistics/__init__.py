"""Statistics of probabilities, nudges and labels: pure, weighted, None where undefined."""
