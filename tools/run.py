"""Start the node with config/robotmem.yaml in the foreground and print the calls to try (`make run`).

Further arguments go to the node, e.g. ``-p db_path:=/tmp/other.db``. Ctrl-C ends it: the node takes the
place of this process, so the signal is its own.
"""

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CALLS = """\
The node /robotmem starts here; Ctrl-C ends it. To try, in another terminal:

  {bin}robotmem learn 'The dock door opens inwards' --context '{{"force_n": 12.5}}' --at 3.2 1.0
  {bin}robotmem recall 'which way does the door open?'
  {bin}robotmem recall --near 3 1 --radius 2
  {bin}robotmem scenes
  {bin}robotmem stats

or, where the ros2 tool is installed and this package is sourced:

  ros2 service call /robotmem/learn robotmem_ros/srv/Learn '{{insight: "The dock door opens inwards"}}'
  ros2 service call /robotmem/recall robotmem_ros/srv/Recall '{{query: "door", n: 3}}'
  ros2 topic echo /robotmem/scene_hit
"""


def main() -> None:
    """Print the calls and become the node."""
    folder = Path(sys.executable).parent
    node = folder / 'memory_node' if (folder / 'memory_node').is_file() else shutil.which('memory_node')
    if node is None:
        sys.exit('memory_node is not installed beside this Python: run `make install` first')
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    shown = f'{os.path.relpath(folder)}/' if folder.is_relative_to(ROOT) else ''
    print(CALLS.format(bin=shown), flush=True)
    config = ROOT / 'config' / 'robotmem.yaml'
    os.execv(node, [str(node), '--ros-args', '--params-file', str(config), *sys.argv[1:]])


if __name__ == '__main__':
    main()
