"""Writes picamera2's signatures from its source archive, for machines on which it is not installed.

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
            "global_camera_info",
            "set_controls",
            "start",
            "stop",
            "wait",
        ],
    ),
    "picamera2/request.py": ("CompletedRequest", ["get_metadata", "make_array", "release"]),
}


PROPERTIES = ("camera_controls", "camera_properties", "sensor_modes")


def decorators(method: ast.FunctionDef) -> list[str]:
    """Return the names of a method's decorators."""
    return [ast.unparse(one) for one in method.decorator_list]


def signature(method: ast.FunctionDef) -> list[dict[str, object]]:
    """Return the parameters of a method after `self`, if any: name, and whether it has a default."""
    names = [argument.arg for argument in method.args.args][0 if "staticmethod" in decorators(method) else 1 :]
    optional = len(method.args.defaults)
    return [{"name": name, "optional": index >= len(names) - optional} for index, name in enumerate(names)]


def main(archive: str) -> None:
    """Print the wanted methods as JSON."""
    found: dict[str, object] = {}
    properties: list[str] = []
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
            methods = [node for node in wanted.body if isinstance(node, ast.FunctionDef)]
            found[class_name] = {
                node.name: signature(node)
                for node in methods
                # The overloads before the real definition have a decorator.
                if node.name in method_names and "overload" not in decorators(node)
            }
            properties += [node.name for node in methods if node.name in PROPERTIES and "property" in decorators(node)]
    match = re.search(r"picamera2-([0-9.]+)\.tar", archive)
    reported = {"version": match[1] if match else None, "classes": found, "properties": sorted(properties)}
    print(json.dumps(reported, indent=1, sort_keys=True))


if __name__ == "__main__":
    main(sys.argv[1])
