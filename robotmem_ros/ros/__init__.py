"""The node: the only part of the package that knows rclpy. Importing this module loads nothing of it."""
