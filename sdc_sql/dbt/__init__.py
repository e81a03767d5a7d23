"""The plugin for dbt-duckdb: the macros and functions on every connection that dbt uses.

In ``profiles.yml``::

    release:
      target: dev
      outputs:
        dev:
          type: duckdb
          path: release.duckdb
          plugins:
            - module: sdc_sql.dbt

The secret key for draws comes from the environment variable ``SDC_KEY`` and from nowhere else: what stands in
a profile or a project is rendered, logged and versioned. ``python -m sdc_sql.dbt`` prints the folder of the dbt
package whose macros and tests go with the plugin.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbt.adapters.duckdb.plugins import BasePlugin

from sdc_sql.db.catalogue.load import load_shared, use_shared
from sdc_sql.dbt import release
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from dbt.adapters.duckdb.utils import TargetConfig
    from duckdb import DuckDBPyConnection

PACKAGE = Path(__file__).parent / "package"


class Plugin(BasePlugin):
    """Registers the macros for all of dbt's cursors, and hands each the key of the environment.

    Raises
    ------
    ParameterError
        Where the profile configures the plugin: it takes nothing, least of all a key.
    """

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        """Refuse a configuration. What is given here holds the settings of the profile as well."""
        known = (self.creds.settings if self.creds else None) or {}
        given = sorted(str(name) for name in plugin_config if name not in known)
        keys = sorted(str(name) for name in known if str(name).lower() in {"key", "sdc_key"})
        if given or keys:
            # the values are not repeated: one of them may be the key
            raise ParameterError(
                f"The plugin sdc_sql.dbt is given {', '.join(given + keys)} in profiles.yml: it takes no options. "
                "The secret key comes from the environment variable SDC_KEY only. "
                "If a key stood in a file, remove it and use another."
            )

    def configure_connection(self, conn: DuckDBPyConnection) -> None:
        """Register the macros once."""
        load_shared(conn)

    def configure_cursor(self, cursor: DuckDBPyConnection) -> None:
        """Let a cursor find them, and hand it the key."""
        use_shared(cursor)

    def store(self, target_config: TargetConfig) -> None:
        """Run the release of a model, or put its documents in their place: what `sdc.release` asks for in a hook."""
        asked = dict(target_config.config)
        getattr(release, asked.pop("do"))(target_config.relation, **asked)
