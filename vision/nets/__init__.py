"""Nets from ONNX files, and their outputs as shares."""
