"""Picture files, smaller and softer copies of pictures, edges and levels in them."""
