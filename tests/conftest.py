"""No test reaches the real web: a desk opened without a web of the test's own has none."""

from __future__ import annotations

import os

os.environ["SHISHO_WEB"] = "off"
