"""What these tests share: the helpers in this folder and the one above."""

from __future__ import annotations

import sys
from pathlib import Path

for folder in Path(__file__).resolve().parents[:2]:
    sys.path.insert(0, str(folder))
