"""Nets from ONNX files, and their answers as shares."""
