"""``memory_node`` with a model that takes 50 ms for each text, as on a small computer."""

from __future__ import annotations

import sys
import time
from typing import Any

from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.ros import assembly
from robotmem_ros.ros.main import main


class Slow(HashEmbedder):
    def embed(self, text: str) -> Any:
        time.sleep(0.05)
        return super().embed(text)


assembly.load_model = lambda _: Slow()
sys.exit(main())
