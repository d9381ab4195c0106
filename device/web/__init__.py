"""The web display: one application, one snapshot, static pages."""
