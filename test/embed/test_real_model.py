"""The real model: what robots ask of it, whatever they write."""

import subprocess
import sys

import numpy as np
import pytest

from robotmem_ros.embed.loading import load
from robotmem_ros.embed.onnx import OnnxEmbedder
from robotmem_ros.embed.verify import mean_cosine, misranked
from robotmem_ros.errors import EmbeddingFailed

LONG_TEXT = 'the robot waits at the dock until the operator has taken the box from the gripper ' * 19


def test_a_text_has_the_same_vector_whatever_came_before(real):
    """EMB-05: 'open the red door' alone, and after a text of 300 words."""
    alone = real.embed('open the red door')
    real.embed(LONG_TEXT)
    assert float(alone @ real.embed('open the red door')) >= 0.999


def test_quantised_and_plain_agree(real, packaged):
    """EMB-05: quantised against weights-only; a clean sentence keeps its direction."""
    assert mean_cosine(real, OnnxEmbedder(packaged)) >= 0.985
    assert misranked(real) == []


def test_vectors_are_unit_float32(real):
    vector = real.embed('grip_force=12.5N slips on wet boxes')
    assert vector.shape == (real.dim,) == (384,) and vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_meaning_outranks_words(real):
    query = real.embed('drive slower in the corridor')
    near, far = real.embed('reduce the speed in the hallway'), real.embed('the corridor camera is slower')
    assert query @ near > query @ far


def test_the_tail_of_a_long_text_counts(real):
    """Longer than one run takes: nothing is silently cut."""
    one = real.embed(LONG_TEXT + 'the elevator is broken')
    other = real.embed(LONG_TEXT + 'recalibrate the lidar of the blue robot')
    assert one @ other < 0.9999
    assert one @ real.embed('the elevator is broken') > other @ real.embed('the elevator is broken')


@pytest.mark.parametrize('text', ['.', 'Ελλάδα', 'مرحبا', 'e\u0301' * 40, '[CLS] [SEP] [PAD]', 'x\x00y', '12.5'])
def test_what_the_vocabulary_can_spell_has_a_vector(real, text):
    assert np.isfinite(real.embed(text)).all()


@pytest.mark.parametrize('text', ['打开红色的门', '抓', '🤖🚪', 'a' * 5000, '🤖 ' * 3000])
def test_a_text_that_the_model_cannot_read_has_no_vector(real, text):
    """The English model gives "open the red door" and "close the blue window" in Chinese one vector: words must do."""
    with pytest.raises(EmbeddingFailed, match='does not know'):
        real.embed(text)


def test_loading_and_embedding_open_no_socket(prepared, packaged, no_network):
    """EMB-02: the robot is offline."""
    load(str(prepared)).embed('open the red door')
    OnnxEmbedder(packaged).embed('open the red door')


@pytest.mark.skipif(not sys.platform.startswith('linux'), reason='counts threads in /proc')
@pytest.mark.parametrize('threads', [1, 2])
def test_the_model_takes_the_threads_it_is_given(prepared, threads):
    """EMB-04: on two cores, 200 texts: no thread per core, nothing on stderr about affinity, no spinning."""
    program = f"""
import os, time
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
from robotmem_ros.embed.onnx import OnnxEmbedder
from robotmem_ros.embed.locate import find_model
before = len(os.listdir('/proc/self/task'))
embedder = OnnxEmbedder(find_model({str(prepared)!r}), threads={threads})
began, used = time.monotonic(), time.process_time()
for i in range(200):
    embedder.embed(f'open the red door {{i}}')
busy = (time.process_time() - used) / (time.monotonic() - began)
used = time.process_time()
time.sleep(0.3)
print(len(os.listdir('/proc/self/task')) - before, busy, time.process_time() - used)
"""
    done = subprocess.run([sys.executable, '-c', program], check=True, timeout=60,
                          capture_output=True, text=True)
    assert done.stderr == ''
    more, busy, idle_s = done.stdout.split()
    assert int(more) <= threads - 1
    assert float(busy) <= threads + 0.1 and float(idle_s) < 0.1
