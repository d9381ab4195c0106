"""`python -m device` is `pushtray`."""

import sys

from device.cli import main

sys.exit(main())
