"""An evaluation as one self-contained HTML page, and its charts."""
