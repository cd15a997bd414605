"""The ONNX embedder over a model of a few bytes, whose vectors can be worked out by hand."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from robotmem_ros.embed.loading import load
from robotmem_ros.embed.onnx import MAX_WINDOWS, OnnxEmbedder
from robotmem_ros.errors import EmbeddingFailed, ModelUnavailable


def expected(*ids):
    """Give the vector of these word ids; [CLS] and [SEP] are zero in the tiny model."""
    total = np.sum([[i, 1, -i, 1] for i in ids], axis=0)
    return total / np.linalg.norm(total)


def test_token_vectors_are_averaged_over_the_text_alone(tiny_model):
    """EMB-05: the shipped tokenizer pads to a fixed length; padding has id 0 and must not count."""
    vector = load(str(tiny_model())).embed('red door')
    np.testing.assert_allclose(vector, expected(4, 5), rtol=1e-5)


@pytest.mark.parametrize('outputs', [{'pooled': True}, {'named': True}])
def test_a_model_that_pools_itself_is_taken_at_its_word(tiny_model, outputs):
    vector = load(str(tiny_model(**outputs))).embed('red door')
    np.testing.assert_allclose(vector, np.array([5, 1, 0, 1]) / np.sqrt(27), rtol=1e-5)


@pytest.mark.parametrize('inputs', [('input_ids',), ('input_ids', 'attention_mask', 'token_type_ids')])
@pytest.mark.parametrize('kind', ['INT64', 'INT32'])
def test_only_the_inputs_that_the_model_has_are_fed(tiny_model, inputs, kind):
    assert load(str(tiny_model(inputs=inputs, kind=kind))).dim == 4


def test_a_model_with_foreign_inputs_is_refused(tiny_model):
    with pytest.raises(ModelUnavailable, match='pixel_values'):
        load(str(tiny_model(inputs=('input_ids', 'pixel_values'))))


def test_nothing_is_cut_where_the_tokenizer_or_the_window_would(tiny_model):
    """The tokenizer truncates to 6 tokens and the model takes 18; the tail of a long text counts."""
    embedder = load(str(tiny_model()))
    for words in (10, 40, 100):
        one = embedder.embed('red ' * words + 'door')
        assert not np.allclose(one, embedder.embed('red ' * words + 'open')), words


def test_windows_have_equal_weight(tiny_model):
    """A text of 32 words takes three windows of 16; neither half may outweigh the other."""
    embedder = load(str(tiny_model()))
    both = embedder.embed('red ' * 16 + 'door ' * 16)
    reverse = embedder.embed('door ' * 16 + 'red ' * 16)
    np.testing.assert_allclose(both, reverse, rtol=1e-5)
    np.testing.assert_allclose(both, expected(4, 5), rtol=1e-5)


def test_a_very_long_text_takes_a_bounded_number_of_runs(tiny_model, monkeypatch):
    embedder = load(str(tiny_model()), cache_size=0)
    runs = []
    run = embedder._run
    monkeypatch.setattr(embedder, '_run', lambda ids: runs.append(len(ids)) or run(ids))
    embedder.embed('red door ' * 7000)
    assert runs == [18] * MAX_WINDOWS


@pytest.mark.parametrize('text', ['', '   ', '\n\t', '\u200b', '\u200b\ufeff \u2060', '\u0301', '\u3164',
                                  '\x00', '\u2800'])
def test_a_text_without_visible_characters_never_reaches_the_model(tiny_model, monkeypatch, text):
    """EMB-06."""
    embedder = load(str(tiny_model()))
    monkeypatch.setattr(OnnxEmbedder, '_run', lambda *_: pytest.fail('the model was called'))
    with pytest.raises(EmbeddingFailed, match='visible'):
        embedder.embed(text)


@pytest.mark.parametrize(('text', 'reason'),
                         [('nan', 'finite'), ('zero', 'zero'), ('red \ud800', 'tokenised')])
def test_no_usable_vector_is_an_error_with_a_reason(tiny_model, text, reason):
    with pytest.raises(EmbeddingFailed, match=reason):
        load(str(tiny_model())).embed(text)


def test_threads_share_one_embedder(tiny_model):
    embedder = load(str(tiny_model()), cache_size=0)
    texts = ['red', 'door', 'open red', 'open door red'] * 50
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(embedder.embed, texts))
    for text, vector in zip(texts, together, strict=True):
        assert np.array_equal(vector, embedder.embed(text))


def test_the_fingerprint_follows_weights_and_tokenizer(tiny_model):
    one, other = tiny_model('one'), tiny_model('other')
    first = load(str(one)).fingerprint
    assert len(first) == 16 and int(first, 16) >= 0
    assert load(str(other)).fingerprint == first
    tokenizer = other / 'tokenizer.json'
    content = json.loads(tokenizer.read_text())
    content['model']['vocab']['red'] = 5
    tokenizer.write_text(json.dumps(content))
    assert load(str(other)).fingerprint != first
    assert load(str(tiny_model('third', pooled=True))).fingerprint != first


def test_no_thread_count_below_one():
    with pytest.raises(ValueError, match='at least 1'):
        load(threads=0)
