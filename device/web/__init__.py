"""HTTP: routes, bodies, the event stream, and the pages."""
