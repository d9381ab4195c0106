"""The worked requests next to the project, if they exist."""

import json
from pathlib import Path

import pytest

from rules.answering import Question, answer_line
from rules.system import systems

VECTORS = Path(__file__).resolve().parents[3] / "shared" / "rules" / "vectors.json"


@pytest.mark.skipif(not VECTORS.exists(), reason="no folder `shared` next to the project")
@pytest.mark.parametrize("system_id", [system.id for system in systems()])
def test_every_shared_vector_holds(system_id: str) -> None:
    listed = json.loads(VECTORS.read_text(encoding="utf-8"))["vectors"]
    vectors = [vector for vector in listed if vector["system"] == system_id]
    wrong = {}
    for vector in vectors:
        expected = vector.pop("expect")
        result = json.loads(answer_line(json.dumps(vector), Question.SCORE).text).get("result", {})
        differing = {key: (value, result.get(key)) for key, value in expected.items() if result.get(key) != value}
        if differing:
            wrong[vector["id"]] = differing
    assert vectors
    assert wrong == {}
