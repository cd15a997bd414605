"""
Memory for robots: learn insights, recall what matters here and now, recognise situations that come back.

The core is plain Python and knows no ROS; ``robotmem_ros.ros`` is the node, ``robotmem_ros.cli`` the command line,
``robotmem_ros.msg`` and ``robotmem_ros.srv`` are generated at build time. Importing the package loads none of them.
"""

import pkgutil

__version__ = '0.1.0'

# The source tree has no msg/ and srv/ packages: they exist only where the package was built and installed. With the
# repository's root on the path (pytest, python -c there) the source modules win, and this finds the generated ones in
# the installed package behind them; where only the installed package is on the path it changes nothing.
__path__ = pkgutil.extend_path(__path__, __name__)
