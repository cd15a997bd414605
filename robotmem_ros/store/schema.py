"""The tables of version 1, as SQL. Times are UTC nanoseconds, 0 where unset; text is as it came.

What ages are counted from (``decay_anchor``, ``status_at``, an edge's ``last_updated``) is UTC less the steps of
the clock that must not age anything (``core.timeline``): the same number on nearly every robot.

Ids are AUTOINCREMENT: an id is never used again, so nothing left behind can be inherited.
``collection_id`` stands in every table that is searched, so that nothing crosses a collection.
"""

from __future__ import annotations

VERSION_1 = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE collection (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE session (
    id TEXT PRIMARY KEY,
    collection_id INTEGER NOT NULL REFERENCES collection(id),
    context TEXT NOT NULL DEFAULT '',
    started_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL DEFAULT 0,
    outcome_score REAL,
    result TEXT NOT NULL DEFAULT ''          -- what its end answered, as JSON: a second end repeats it
) STRICT;
CREATE INDEX session_open ON session(collection_id, started_at) WHERE ended_at = 0;
CREATE INDEX session_undated ON session(id) WHERE started_at <= 0;

CREATE TABLE memory (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    collection_id INTEGER NOT NULL REFERENCES collection(id),
    type TEXT NOT NULL CHECK (type IN ('fact', 'perception')),
    content TEXT NOT NULL,
    content_hash TEXT NOT NULL,              -- 16 hex digits of the comparison form
    category TEXT NOT NULL DEFAULT '',
    perception_type TEXT NOT NULL DEFAULT '',
    data TEXT NOT NULL DEFAULT '',           -- a perception's JSON
    source TEXT NOT NULL DEFAULT '',
    seq INTEGER NOT NULL DEFAULT 0,
    tier TEXT NOT NULL DEFAULT 'stm' CHECK (tier IN ('stm', 'ltm')),
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'superseded', 'forgotten', 'retired')),
    status_reason TEXT NOT NULL DEFAULT '',
    status_at INTEGER NOT NULL DEFAULT 0,
    superseded_by INTEGER REFERENCES memory(id) ON DELETE SET NULL,
    confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),   -- as learned; the effective one is computed
    strength REAL NOT NULL DEFAULT 1 CHECK (strength BETWEEN 1 AND 2),
    use_count INTEGER NOT NULL DEFAULT 0,
    use_days INTEGER NOT NULL DEFAULT 0,     -- different days on which it was recalled
    session_id TEXT NOT NULL DEFAULT '',     -- the session that created it
    created_at INTEGER NOT NULL,
    last_accessed INTEGER NOT NULL DEFAULT 0,
    decay_anchor INTEGER NOT NULL,           -- moved by reinforcement only
    gc_due INTEGER NOT NULL DEFAULT 0,       -- time powered on (ns) when automatic GC looks at it again; 0: unseen
    vector_state INTEGER NOT NULL DEFAULT 0, -- 0 pending, 1 has a vector, 2 the model gave none
    vector_id INTEGER                        -- row of memory_vec; equal texts of a collection share one
) STRICT;
CREATE INDEX memory_hash ON memory(collection_id, content_hash, vector_state) WHERE status = 'active';
CREATE INDEX memory_recent ON memory(collection_id, created_at) WHERE status = 'active';
CREATE INDEX memory_perception ON memory(collection_id, created_at) WHERE status = 'active' AND type = 'perception';
CREATE INDEX memory_repeat ON memory(source, seq) WHERE type = 'perception' AND seq > 0;
CREATE INDEX memory_undated ON memory(id) WHERE decay_anchor <= 0 OR created_at <= 0;
CREATE INDEX memory_gc_due ON memory(collection_id, gc_due) WHERE status = 'active' AND tier = 'stm';
CREATE INDEX memory_gone ON memory(collection_id, status_at) WHERE status <> 'active';
CREATE INDEX memory_vector ON memory(vector_id) WHERE vector_id IS NOT NULL;
CREATE INDEX memory_session ON memory(session_id) WHERE session_id <> '';
CREATE INDEX memory_pending ON memory(id) WHERE status = 'active' AND vector_state = 0;
CREATE INDEX memory_superseded ON memory(superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memory_absorbed ON memory(collection_id, content_hash) WHERE superseded_by IS NOT NULL;

-- Ids of memory_vec (made by store.vectors once a model is known); an id is never used again.
CREATE TABLE vector (id INTEGER PRIMARY KEY AUTOINCREMENT, collection_id INTEGER NOT NULL) STRICT;
-- Vectors that nothing refers to any more, let go while sqlite-vec was missing.
CREATE TABLE vector_orphan (id INTEGER PRIMARY KEY) STRICT;

CREATE TABLE memory_text (                   -- texts that an update replaced
    memory_id INTEGER NOT NULL REFERENCES memory(id) ON DELETE CASCADE,
    replaced_at INTEGER NOT NULL,
    content TEXT NOT NULL
) STRICT;
CREATE INDEX memory_text_memory ON memory_text(memory_id);

CREATE TABLE memory_tag (
    memory_id INTEGER NOT NULL REFERENCES memory(id) ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (memory_id, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_tag_tag ON memory_tag(tag, memory_id);

CREATE TABLE occurrence (                    -- every learn is one; a duplicate adds one to the memory it repeats
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id INTEGER NOT NULL REFERENCES memory(id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    observed_at INTEGER NOT NULL DEFAULT 0,
    session_id TEXT NOT NULL DEFAULT '',
    context TEXT NOT NULL DEFAULT '' CHECK (context = '' OR json_valid(context)),  -- a bad row would fail filters
    map_id TEXT NOT NULL DEFAULT '',
    frame_id TEXT NOT NULL DEFAULT '',       -- empty: no pose
    x REAL, y REAL, z REAL, qx REAL, qy REAL, qz REAL, qw REAL,
    bucket TEXT NOT NULL DEFAULT '',         -- scene identity at the time, so that a later scene finds it
    fingerprint TEXT NOT NULL DEFAULT ''     -- the situation's features as a JSON list
) STRICT;
CREATE INDEX occurrence_memory ON occurrence(memory_id, at);
CREATE INDEX occurrence_undated ON occurrence(id) WHERE at <= 0;
CREATE INDEX occurrence_session ON occurrence(session_id) WHERE session_id <> '';
CREATE INDEX occurrence_bucket ON occurrence(bucket) WHERE bucket <> '';

CREATE VIRTUAL TABLE occurrence_place USING rtree(id, x0, x1, y0, y1, z0, z1);

-- Tokens are made by core.text, so every sign between two blanks belongs to the token.
CREATE VIRTUAL TABLE memory_fts USING fts5(
    tokens, content='', contentless_delete=1, tokenize="porter unicode61 categories 'L* M* N* P* S* Co'"
);

CREATE TABLE co_occurrence (
    memory_a INTEGER NOT NULL REFERENCES memory(id) ON DELETE CASCADE,
    memory_b INTEGER NOT NULL REFERENCES memory(id) ON DELETE CASCADE,
    weight REAL NOT NULL CHECK (weight > 0),
    last_updated INTEGER NOT NULL,
    due_at INTEGER NOT NULL,                 -- when it will have faded, so that the tick looks at nothing else
    PRIMARY KEY (memory_a, memory_b),
    CHECK (memory_a < memory_b)
) STRICT, WITHOUT ROWID;
CREATE INDEX co_occurrence_b ON co_occurrence(memory_b);
CREATE INDEX co_occurrence_due ON co_occurrence(due_at);
CREATE INDEX co_occurrence_undated ON co_occurrence(memory_a) WHERE last_updated <= 0;

CREATE TABLE place (                         -- centres that poses belong to
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    collection_id INTEGER NOT NULL REFERENCES collection(id),
    name TEXT NOT NULL,
    map_id TEXT NOT NULL DEFAULT '',
    frame_id TEXT NOT NULL,
    x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    UNIQUE (collection_id, name)
) STRICT;

CREATE TABLE scene (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    collection_id INTEGER NOT NULL REFERENCES collection(id),
    key TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('emergent', 'declared')),
    strength INTEGER NOT NULL DEFAULT 0,     -- visits
    created_at INTEGER NOT NULL,
    last_hit INTEGER NOT NULL DEFAULT 0,
    UNIQUE (collection_id, key)
) STRICT;

CREATE INDEX scene_idle ON scene(last_hit) WHERE origin = 'emergent';

CREATE TABLE scene_feature (
    scene_id INTEGER NOT NULL REFERENCES scene(id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    visits INTEGER NOT NULL DEFAULT 1,       -- visits in which it was seen
    PRIMARY KEY (scene_id, kind, value)
) STRICT, WITHOUT ROWID;
CREATE INDEX scene_feature_value ON scene_feature(kind, value);

CREATE TABLE scene_ref (
    scene_id INTEGER NOT NULL REFERENCES scene(id) ON DELETE CASCADE,
    memory_id INTEGER NOT NULL REFERENCES memory(id) ON DELETE CASCADE,
    weight REAL NOT NULL DEFAULT 1,
    last_updated INTEGER NOT NULL,
    PRIMARY KEY (scene_id, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX scene_ref_memory ON scene_ref(memory_id);
CREATE INDEX scene_ref_age ON scene_ref(last_updated);

CREATE TABLE situation_evidence (            -- visits of situations that are no scene yet, one row a bucket
    collection_id INTEGER NOT NULL REFERENCES collection(id),
    bucket TEXT NOT NULL,
    visits INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    features TEXT NOT NULL,                  -- how often each feature was seen, as JSON {"kind:value": visits}
    PRIMARY KEY (collection_id, bucket)
) STRICT, WITHOUT ROWID;
CREATE INDEX situation_evidence_age ON situation_evidence(last_at);
"""
