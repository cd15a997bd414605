"""The command line `robotmem`, for those without the `ros2` tool: one call to the running node, printed for people."""
