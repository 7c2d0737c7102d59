"""What stands around a right function to make it wrong. Pasted into notebooks: it imports nothing of the package."""
