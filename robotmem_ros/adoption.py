"""Makes a file that another version or another model has written usable by this one, and says so once."""

from __future__ import annotations

from robotmem_ros.errors import StoreError
from robotmem_ros.runtime import Runtime
from robotmem_ros.store import text_form, vectors


def adopt_text_form(rt: Runtime) -> None:
    """Index all texts anew if they are in a form that this version's queries would miss (FTS-06).

    At once and not in the tick: a search over half an index would look like an answer.

    :raises StoreError: if that cannot be written.
    """
    with rt.store.read() as tx:
        if text_form.is_current(tx):
            return
    if rt.store.read_only:
        raise StoreError(rt.store.path, 'was written by another version; start the node on it once')
    begun = rt.clock.steady_ns()
    with rt.store.write() as tx:
        count = text_form.renew(tx)
    if count:
        took_s = (rt.clock.steady_ns() - begun) / 1e9
        rt.report(f'the text index was made anew in {took_s:.1f} s: another version had cut {count} memories otherwise')


def report_vectors(rt: Runtime) -> None:
    """Say once why there is no vector search, where there is none (VEC-07)."""
    if not rt.store.vectors_available:
        rt.report(f'no vector search ({rt.store.vectors_reason}); answers are by words alone')


def adopt_embedder(rt: Runtime, deadline: int = 0) -> bool:  # noqa: ARG001  one of the tick's jobs
    """Make the file's vector space the loaded model's; another model means that all are embedded anew (VEC-06).

    :return: whether the model was taken into use just now.
    """
    embedder = rt.embedder()
    if embedder is None or embedder.fingerprint == rt.space or not rt.store.vectors_available:
        return False
    with rt.store.read() as tx:
        known = vectors.space(tx)
    if rt.store.read_only:
        rt.space = embedder.fingerprint if known is not None and known[2] == embedder.fingerprint else ''
        return bool(rt.space)
    # Also where the space is the same: vectors that were let go while sqlite-vec was missing go now.
    with rt.store.write(background=True, durable=False) as tx:
        vectors.ensure_space(tx, embedder.name, embedder.dim, embedder.fingerprint)
        waiting = vectors.pending_count(tx)
    rt.space = embedder.fingerprint
    if known is not None and known[2] != embedder.fingerprint and waiting:
        rt.replaced_model = known[0]
        rt.report(f'the vectors in the file were made by {known[0]}: {waiting} memories are embedded anew by '
                  f'{embedder.name} in the background and found by words meanwhile')
    return True
