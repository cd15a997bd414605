"""The mathematics of memory: pure functions, values in and values out; no I/O, no clock, no ROS."""
