"""Labelled turns -> a calibration and its card; scikit-learn fits here and nowhere else."""
