"""``python -m tools.ats [FOLDER]``: see report."""

import sys

from tools.ats.report import main

sys.exit(main())
