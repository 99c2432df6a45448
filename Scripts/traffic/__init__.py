"""Scripts that create the project's sample captures, and the btsnoop format in which they are written."""
