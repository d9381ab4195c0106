"""Missing or damaged weights: one line with the cure. A file is loaded once, and again if it changed."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from vision.nets.onnx_net import WEIGHTS, OnnxNet
from vision.types.errors import VisionError


def test_weights_that_are_missing_are_named(tmp_path: Path) -> None:
    with pytest.raises(VisionError, match=r"weights net\.onnx are missing from .*: install the project again"):
        OnnxNet(tmp_path / "net.onnx")


@pytest.mark.parametrize("kind", ["cut off", "empty", "pointer", "overwritten"])
def test_weights_that_are_damaged_are_named(tmp_path: Path, kind: str) -> None:
    whole = (WEIGHTS / "detector.onnx").read_bytes()
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


def test_a_file_is_loaded_once_for_all_and_again_when_it_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    load = onnxruntime.InferenceSession

    def noted(path: str, *args: Any, **more: Any) -> Any:
        loaded.append(Path(path).name)
        return load(path, *args, **more)

    monkeypatch.setattr(onnxruntime, "InferenceSession", noted)
    path = tmp_path / "net.onnx"
    path.write_bytes((WEIGHTS / "detector.onnx").read_bytes())
    planes = np.zeros((1, 3, 96, 96), np.float32)
    first, second = (OnnxNet(path).run(planes) for _ in range(2))
    assert loaded == ["net.onnx"]
    assert np.array_equal(first, second)
    path.write_bytes((WEIGHTS / "die.onnx").read_bytes())
    OnnxNet(path)
    assert loaded == ["net.onnx"] * 2


def test_no_usage_data_is_collected(tmp_path: Path) -> None:
    loads = "from vision.nets.onnx_net import WEIGHTS, OnnxNet; OnnxNet(WEIGHTS / 'detector.onnx')"
    # Under CI none is collected anyway.
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", loads], env={**kept, "HOME": str(tmp_path)}, cwd=root, check=True)
    assert list(tmp_path.iterdir()) == []
