"""In and out: JSONL, Markdown (an Obsidian vault), notes and daily logs, and files of robotmem 0.1."""
