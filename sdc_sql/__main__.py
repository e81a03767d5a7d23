"""``python -m sdc_sql``."""

import sys

from sdc_sql.cli import main

sys.exit(main())
