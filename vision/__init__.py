"""Light and geometry: which colour class each die has and how many pips its top face shows."""

import os

# ONNX Runtime would send usage data to its maker, and only reads this when it is loaded.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
