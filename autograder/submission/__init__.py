"""What was handed in, read and mended."""
