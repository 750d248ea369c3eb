"""What is kept on disk or fetched to it: artifacts, hub and package files, config blocks."""
