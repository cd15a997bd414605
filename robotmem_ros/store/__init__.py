"""The memory file: the only place that speaks SQL."""
