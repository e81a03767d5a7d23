"""Risk and masking of Spark tables and DataFrames, with the verbs, the arguments and the values of DuckDB.

::

    sdc = sdc_sql.spark.load(spark)
    sdc.risk.theta("persons", ["region", "sex", "age"], 0.02).show()
    released = sdc.mask.pram_retention("persons", ["region", "sex"], 0.9, id="person")

A measure is its macro's answer of cells that Spark counts, or one query of Spark's. In masking records do not leave
the cluster: each task hands its Arrow batches to a DuckDB of its own, in its process, which runs the same macros with
the same keyed draws. Executors need sdc-sql installed. Tables of Spark are not changed in place: a verb returns a
DataFrame, and ``into`` saves it as a new table.
"""

from __future__ import annotations

import inspect
import os
from threading import Lock
from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.functions import explain_new_name
from sdc_sql.db.catalogue.macros import index_catalogue, index_former_names, read_catalogue
from sdc_sql.errors import ParameterError
from sdc_sql.methods import Methods

try:
    from sdc_sql.spark.cells import find_most_cells
    from sdc_sql.spark.counted import is_of_cells
    from sdc_sql.spark.frame import Frame
    from sdc_sql.spark.measures import bind_macro
except ModuleNotFoundError as error:
    if (error.name or "").split(".")[0] != "pyspark":
        raise
    raise ModuleNotFoundError("Masking on Spark needs pyspark 4 or later: pip install 'sdc-sql[spark]'.") from error

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    from sdc_sql.series.series import Series

ONE_AT_A_TIME = Lock()


def load(spark: SparkSession, *, key: str | None = None, most_cells: int | None = None) -> SparkVerbs:
    """Return the verbs for the tables and DataFrames of a Spark session.

    Parameters
    ----------
    spark
        A session, with Arrow and this package on its executors.
    key
        The secret key of the draws; without it that of the environment, ``SDC_KEY``, of this process.
    most_cells
        How many combinations of values of the keys are brought to this process at most, where a method needs them all:
        without it the setting ``spark.sdc.mostCells`` of the session, or a million.
    """
    if not hasattr(spark, "sparkContext"):
        raise ParameterError(
            f"spark is {type(spark).__module__}.{type(spark).__name__}: it must be a classic Spark session, not one of "
            "Spark Connect, which has no broadcasts."
        )
    return SparkVerbs(spark, key=key, most_cells=most_cells)


def _verb(verb: Callable[..., Any]) -> Callable[..., DataFrame]:
    """Return a verb of Microdata's as one that takes a Spark table or DataFrame first, and its id."""

    def on_spark(
        self: Room, table: str | DataFrame, *arguments: Any, id: str, series: Series | None = None, **named: Any,  # noqa: A002, ANN401
    ) -> DataFrame:  # fmt: skip
        with ONE_AT_A_TIME:  # a matrix, and what is tried beforehand, go through one DuckDB of this process
            frame = Frame(self._spark, table, self._secret(), id=id, series=series, most_cells=self._most_cells)
            result: DataFrame = verb(frame, *arguments, **named)
        return result

    _, *rest = inspect.signature(verb).parameters.values()
    own = inspect.signature(on_spark).parameters
    on_spark.__name__, on_spark.__qualname__ = verb.__name__, f"Room.{verb.__name__}"
    on_spark.__doc__ = (
        f"{str(verb.__doc__).splitlines()[0].replace(', in place or in a copy', '')}\n\n"
        f"As the method {verb.__name__} of :class:`sdc_sql.Microdata`, of a Spark table or DataFrame with an ``id``; "
        "returns a DataFrame. ``series`` is the release of a series (:class:`sdc_sql.Series`), where it is one."
    )
    on_spark.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [own["self"], own["table"], *rest, own["id"], own["series"]], return_annotation="DataFrame"
    )
    return on_spark


class Room:
    """What a room's verbs are methods of: a Spark session, and the key of its draws."""

    def __init__(self, spark: SparkSession, key: str | None, most_cells: int) -> None:
        self._spark, self._key, self._most_cells = spark, key, most_cells

    def _secret(self) -> str | None:
        return self._key or os.environ.get("SDC_KEY")

    def __getattr__(self, verb: str) -> Callable[..., DataFrame]:
        """Say of a measure that Spark does not run why; the verbs themselves are added below."""
        if verb in index_former_names():
            raise AttributeError(explain_new_name(verb, index_former_names()[verb]))
        found = index_catalogue().get(f"sdc_{verb}")
        if found is None or not found.not_compiled:
            raise AttributeError(f"There is no verb {verb} in this room on Spark.")
        raise AttributeError(f"{verb} does not run on Spark: {found.not_compiled}.")


class SparkVerbs:
    """The verbs of :class:`sdc_sql.Microdata` on Spark: each takes a table's name or a DataFrame first, and an ``id``.

    They stand in the same rooms: ``risk``, ``mask``, ``linkage`` and ``loss``. Every mask is here, and every measure
    that can be compiled: what the headers of the SQL files declare.

    Equal to DuckDB's to the bit, on any partitions and in any order of rows: PRAM, rounding, noise of a given standard
    deviation, plain multiplicative noise; and what the cells of the keys decide, which Spark counts and DuckDB searches
    in this process: suppression, generalisation, classes, top and bottom codes. By household one task suppresses, with
    all records and the columns that it reads in its memory. Stratum by stratum, each in the memory
    of one task and equal to DuckDB's with that stratum: noise by alpha (its moments are those of the stratum),
    microaggregation (groups of at least k within their stratum), rank swapping, resampling, and Höhne's; without a
    stratum one task gets the whole table (which must fit in its memory). A stratum costs about a tenth of a second,
    however small.

    The measures take the arguments of their macros, tables as names or DataFrames, and return a DataFrame: of those
    that are made of cells alone DuckDB's answer of the cells, which Spark counts at once; of others a query of Spark's.
    See the table of measures and engines in the compiler's README; of those that Spark does not run
    :func:`sdc_sql.compile` says why.
    """

    def __init__(self, spark: SparkSession, *, key: str | None = None, most_cells: int | None = None) -> None:
        bound = find_most_cells(spark, most_cells)
        for name, room in ROOMS.items():
            setattr(self, name, room(spark, key, bound))

    def __getattr__(self, verb: str) -> Room:
        """Say of a verb in which room it is."""
        verb = index_former_names().get(verb, verb)
        found = index_catalogue().get(f"sdc_{verb}")
        room = next((name for name, its in ROOMS.items() if verb in vars(its)), found and found.room)
        if room is None or verb in ROOMS:
            raise AttributeError(f"There is no verb {verb} on Spark; its rooms ({', '.join(ROOMS)}) list them.")
        raise AttributeError(f"{verb} is a verb of the room {room}: write {room}.{verb}(...).")


ROOMS: dict[str, type[Room]] = {}
for _declaration in read_catalogue():
    _room = _declaration.room
    if _declaration.masks:
        _name, _method = _declaration.verb, _verb(inspect.unwrap(getattr(Methods, _declaration.verb)))
    elif _declaration.is_table and (not _declaration.not_compiled or is_of_cells(_declaration.name)):
        _name, _method = _declaration.name.removeprefix("sdc_"), bind_macro(_declaration.name)
    else:
        continue
    setattr(ROOMS.setdefault(_room, type(f"Spark{_room.title()}", (Room,), {})), _name, _method)
