"""Run one contender: read the table, do the task once, and say what it took and what it found, as a line of JSON."""

from __future__ import annotations

import importlib.util
import json
import resource
import sys
import time
from importlib.metadata import version
from pathlib import Path


def main() -> None:
    """Run the script that is named: `PACKAGE`, `read(path)`, `work(table)` and `answer(table, done)`."""
    script, table = map(Path, sys.argv[1:])
    sys.path.insert(0, str(Path(__file__).parent))
    spec = importlib.util.spec_from_file_location("contender", script)
    contender = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(contender)
    read = contender.read(table)
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    done = contender.work(read)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found = {name: float(value) for name, value in contender.answer(read, done).items()}
    name = f"{contender.PACKAGE} {version(contender.PACKAGE)}"
    said = {"contender": name, "seconds": seconds, "processor": used, "memory": after.ru_maxrss * 1024, "answer": found}
    print(json.dumps(said))


if __name__ == "__main__":
    main()
