"""The camera, points in a picture, and which of them belong together."""
