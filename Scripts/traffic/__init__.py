"""How the project's sample captures are made, and the btsnoop format that they are written in."""
