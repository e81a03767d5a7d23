"""A Spark of two cores for the tests of a module that mask on it; without pyspark or Java these are skipped."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession

pytest.importorskip("pyspark", reason="masking on Spark is tested where pyspark is")
if shutil.which("java") is None:
    pytest.skip("masking on Spark is tested where Java is", allow_module_level=True)

MARKS = [
    pytest.mark.slow,
    # said by pyspark of the pandas that is there, which nothing here uses
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    # sockets that pyspark leaves to the garbage collector
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]


@contextmanager
def open_session(
    tmp_path_factory: pytest.TempPathFactory, more: Mapping[str, str] | None = None
) -> Iterator[SparkSession]:
    """Begin a session with some more settings, and end it."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - where it is known to be there

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").appName("sdc-sql")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.local.dir": str(tmp_path_factory.mktemp("local")),
        "spark.sql.warehouse.dir": tmp_path_factory.mktemp("warehouse").as_uri(),
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "localhost",
        **(more or {}),
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
    del os.environ["PYSPARK_PYTHON"]
