"""Every page by its path, as the application has them."""

from device.web.app import create_app
from tests.web.conftest import FakeTray

PAGES = create_app(FakeTray()).state.pages
