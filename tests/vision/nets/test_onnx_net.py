"""Weights that are missing or damaged: one line, what and its cure."""

from pathlib import Path

import pytest

from vision.nets.onnx_net import WEIGHTS, OnnxNet
from vision.types.errors import VisionError


def test_weights_that_are_missing_are_named(tmp_path: Path) -> None:
    with pytest.raises(VisionError, match=r"weights net\.onnx are missing from .*: install the project again"):
        OnnxNet(tmp_path / "net.onnx")


@pytest.mark.parametrize("kind", ["cut off", "empty", "pointer", "overwritten"])
def test_weights_that_are_damaged_are_named(tmp_path: Path, kind: str) -> None:
    whole = (WEIGHTS / "finder.onnx").read_bytes()
    held = {
        "cut off": whole[: len(whole) // 2],
        "empty": b"",
        "pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
        "overwritten": whole[:5000] + b"\xff" * 200 + whole[5200:],
    }
    path = tmp_path / "net.onnx"
    path.write_bytes(held[kind])
    with pytest.raises(VisionError, match=r"weights net\.onnx in .* are damaged: install the project again"):
        OnnxNet(path)
