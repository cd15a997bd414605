-- A small file as robotmem 0.1.3 (PyPI) leaves it, written by hand along its tables; its indexes are left out.
CREATE TABLE memories (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, collection TEXT NOT NULL DEFAULT 'default',
    type TEXT NOT NULL DEFAULT 'fact', content TEXT NOT NULL, human_summary TEXT, context TEXT, perception_type TEXT,
    perception_data BLOB, perception_metadata TEXT, concept TEXT, category TEXT DEFAULT 'observation',
    confidence REAL NOT NULL DEFAULT 0.9, decay_rate REAL NOT NULL DEFAULT 0.01, source TEXT, scope TEXT,
    status TEXT NOT NULL DEFAULT 'active', superseded_by INTEGER, invalidated_reason TEXT, invalidated_at TEXT,
    content_hash TEXT, media_hash TEXT, access_count INTEGER DEFAULT 0, return_count INTEGER DEFAULT 0,
    last_accessed TEXT, last_validated TEXT, embedding BLOB, scope_files TEXT, scope_entities TEXT,
    created_at TEXT, updated_at TEXT);
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, external_id TEXT UNIQUE, collection TEXT NOT NULL DEFAULT 'default', context TEXT,
    session_count INTEGER DEFAULT 1, status TEXT DEFAULT 'active', client_type TEXT, created_at TEXT, updated_at TEXT);
CREATE TABLE session_outcomes (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, score REAL, created_at TEXT);
CREATE TABLE memory_tags (memory_id INTEGER NOT NULL, tag TEXT NOT NULL, source TEXT, created_at TEXT, PRIMARY KEY (memory_id, tag));
INSERT INTO sessions VALUES
    (1, '448834c2', 'default', '{"task": "push"}', 1, 'ended', 'sdk', '2026-02-15T08:00:00.434', '2026-02-15T09:00:00.000'),
    (2, '9b1e77aa', 'default', NULL, 1, 'active', 'sdk', '2026-02-16T08:00:00.000', '2026-02-16T08:00:00.000');
INSERT INTO session_outcomes VALUES (1, '448834c2', 0.2, NULL), (2, '448834c2', 0.8, NULL);
INSERT INTO memories (id, session_id, collection, type, content, context, perception_type, perception_data,
    perception_metadata, category, confidence, status, access_count, last_accessed, created_at, updated_at) VALUES
    (1, '448834c2', 'default', 'fact', 'grip force 12.5N works for cups', '{"source": "learn_tool", "params": {"force_n": {"value": 12.5}}}',
        NULL, NULL, NULL, 'code', 0.85, 'active', 3, '2026-02-17T10:00:00.000', '2026-02-15T08:00:01.432', '2026-02-18T00:00:00.000'),
    (2, '448834c2', 'default', 'fact', '停止 before the red door', 'not json', NULL, NULL, NULL, 'constraint', 0.8, 'active', 0, NULL,
        '2026-02-15T08:00:02.433', '2026-02-15T08:00:02.433'),
    (3, '448834c2', 'default', 'perception', 'the floor is wet near dock 2', NULL, 'visual', '{"a": 1}', NULL, 'observation', 0.9,
        'active', 0, NULL, '2026-02-15T08:00:03.000', '2026-02-15T08:00:03.000'),
    (4, NULL, 'default', 'fact', 'an obsolete thing about gate B7', NULL, NULL, NULL, NULL, 'observation', 0.9, 'invalidated', 0, NULL,
        '2026-02-15T08:00:04.000', '2026-02-15T08:00:04.000'),
    (5, NULL, 'site', 'fact', 'the spare battery is in locker 2', NULL, NULL, X'0102FF', '{"unit": "mm"}', 'observation', 0.9, 'active', 0,
        NULL, '2026-02-15T08:00:05.000', '2026-02-15T08:00:05.000'),
    (6, NULL, 'default', 'fact', 'a broken time', NULL, NULL, NULL, NULL, 'observation', 0.9, 'active', 0, NULL, 'soon', NULL);
INSERT INTO memory_tags VALUES (1, 'code', 'auto', NULL), (1, 'grip', 'user', NULL), (4, 'code', 'auto', NULL);
