"""A document as a file of RenderCV 2.x."""
