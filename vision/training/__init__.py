"""How the small nets were made: pictures drawn, nets trained on them, weights written. Needs torch and onnx."""
