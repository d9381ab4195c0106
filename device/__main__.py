"""`python -m device` is `pushtray`."""

import sys

from device.cli.main import main

sys.exit(main())
