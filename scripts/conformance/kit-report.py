"""Tells as JSON what a run of the A2A compatibility kit left in its folder `reports`."""

import importlib.metadata
import json
import platform
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

reports = Path(sys.argv[1])
compatibility = json.loads((reports / "compatibility.json").read_text(encoding="utf-8"))

counts = Counter({"passed": 0, "failed": 0, "skipped": 0})
failures = []
skips = Counter()
for case in ElementTree.parse(reports / "junitreport.xml").iter("testcase"):
    fault = next((case.find(kind) for kind in ("failure", "error") if case.find(kind) is not None), None)
    skipped = case.find("skipped")
    if fault is not None:
        counts["failed"] += 1
        test = f"{case.get('classname').split('.')[-1]}::{case.get('name')}"
        failures.append({"test": test, "message": fault.get("message").split("\n")[0]})
    elif skipped is not None:
        counts["skipped"] += 1
        skips[skipped.get("message")] += 1
    else:
        counts["passed"] += 1

json.dump(
    {
        "tools": {
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in ("pytest", "httpx", "grpcio", "protobuf")},
        },
        "counts": counts,
        "failures": failures,
        "skips": [{"reason": reason, "tests": tests} for reason, tests in sorted(skips.items())],
        "requirements": [
            {"id": name, "level": found["level"], "status": found["status"], "transports": found["transports"]}
            for name, found in sorted(compatibility["per_requirement"].items())
        ],
    },
    sys.stdout,
)
