"""Write down picamera2's signatures from its source archive, without importing it (that needs libcamera and a Pi).

pip download picamera2 --no-deps --no-binary :all:
python tests/device/data/extract_picamera2.py picamera2-*.tar.gz > tests/device/data/picamera2.json
"""

import ast
import json
import re
import sys
import tarfile

WANTED = {
    "picamera2/picamera2.py": (
        "Picamera2",
        [
            "__init__",
            "autofocus_cycle",
            "cancel_all_and_flush",
            "capture_metadata",
            "capture_request",
            "close",
            "configure",
            "create_video_configuration",
            "set_controls",
            "start",
            "stop",
            "wait",
        ],
    ),
    "picamera2/request.py": ("CompletedRequest", ["get_metadata", "make_array", "release"]),
}


def signature(method: ast.FunctionDef) -> list[dict[str, object]]:
    """The parameters of a method after `self`: name, and whether it may be left out."""
    names = [argument.arg for argument in method.args.args][1:]
    optional = len(method.args.defaults)
    return [{"name": name, "optional": index >= len(names) - optional} for index, name in enumerate(names)]


def main(archive: str) -> None:
    """Print the wanted methods as JSON."""
    found: dict[str, object] = {}
    with tarfile.open(archive) as sources:
        for member in sources.getmembers():
            path = member.name.partition("/")[2]
            if path not in WANTED:
                continue
            stored = sources.extractfile(member)
            assert stored is not None
            tree = ast.parse(stored.read())
            class_name, method_names = WANTED[path]
            wanted = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == class_name)
            found[class_name] = {
                node.name: signature(node)
                for node in wanted.body
                # The overloads before the real definition carry a decorator.
                if isinstance(node, ast.FunctionDef) and not node.decorator_list and node.name in method_names
            }
    match = re.search(r"picamera2-([0-9.]+)\.tar", archive)
    print(json.dumps({"version": match[1] if match else None, "classes": found}, indent=1, sort_keys=True))


if __name__ == "__main__":
    main(sys.argv[1])
