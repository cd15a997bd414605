-- Scenes as older programs wrote them into our tables (seed 002 and SCN-13): one situation, several keys.
-- Memories 1 to 5 hang on the twin that nobody looks for; the one that is hit 270 times holds none.
INSERT INTO collection (id, name) VALUES (1, 'default');

INSERT INTO memory (id, collection_id, type, content, content_hash, confidence, created_at, decay_anchor, vector_state)
VALUES (1, 1, 'fact', 'the lab door is stiff', '01', 0.9, 1779999990000000000, 1779999990000000000, 2),
       (2, 1, 'fact', 'the lab lamp flickers', '02', 0.9, 1779999990000000000, 1779999990000000000, 2),
       (3, 1, 'fact', 'the lab bench is wet', '03', 0.9, 1779999990000000000, 1779999990000000000, 2),
       (4, 1, 'fact', 'the lab camera is blind at noon', '04', 0.9, 1779999990000000000, 1779999990000000000, 2),
       (5, 1, 'fact', 'the lab floor is uneven', '05', 0.9, 1779999990000000000, 1779999990000000000, 2);
INSERT INTO occurrence (memory_id, at, bucket) SELECT id, created_at, 'chan:cam_place:lab' FROM memory;

INSERT INTO scene (id, collection_id, key, origin, strength, created_at, last_hit) VALUES
    (1, 1, 'chan:cam+place:lab', 'emergent', 270, 1770000000000000000, 1779999000000000000),
    (2, 1, 'chan:cam_place:lab', 'emergent', 3, 1771000000000000000, 1772000000000000000),
    (3, 1, 'place:lab/chan:cam', 'declared', 0, 1772000000000000000, 0),
    (4, 1, 'auto:chan:mc:event+topic:mc', 'emergent', 7, 1770000000000000000, 1779999000000000000),
    (5, 1, 'auto:chan:mc:event_topic:mc', 'emergent', 2, 1770000000000000000, 1779999000000000000),
    (6, 1, 'auto:chan:qq+part:morning', 'emergent', 5, 1770000000000000000, 1779999000000000000),
    (7, 1, 'auto:chan:qq_part:evening#2', 'emergent', 4, 1770000000000000000, 1779999000000000000),
    (8, 1, 'Kitchen', 'declared', 0, 1770000000000000000, 0),
    (9, 1, 'tool:a_b', 'emergent', 2, 1770000000000000000, 1779999000000000000),
    (10, 1, 'place:yard', 'emergent', 4, 1770000000000000000, 1779999000000000000),
    (11, 1, 'Place: Yard', 'declared', 0, 1770000000000000000, 0),
    (12, 1, 'auto:chan:cam_zone:7#2', 'emergent', 2, 1770000000000000000, 1779999000000000000),
    (13, 1, 'chan:irc_topic:x', 'emergent', 2, 1770000000000000000, 1779999000000000000);
INSERT INTO scene_feature (scene_id, kind, value, visits) VALUES
    (1, 'chan', 'cam', 270), (1, 'place', 'lab', 270), (1, 'object', 'Cup', 200), (1, 'object', 'cup', 1),
    (2, 'chan', 'cam', 3), (2, 'place', 'lab', 3), (2, 'object', 'cup', 1), (2, 'tool', 'gripper', 3),
    (4, 'chan', 'mc:event', 7), (4, 'topic', 'mc', 7), (5, 'chan', 'mc:event', 2), (5, 'topic', 'mc', 2),
    (6, 'chan', 'qq', 5), (6, 'part', 'morning', 3), (7, 'chan', 'qq', 4), (7, 'part', 'evening', 4),
    (9, 'tool', 'a_b', 2), (10, 'place', 'yard', 4), (12, 'chan', 'cam', 2), (12, 'zone', '7', 2),
    (13, 'chan', 'irc_topic:x', 2);
INSERT INTO scene_ref (scene_id, memory_id, weight, last_updated)
    SELECT 2, id, 1, created_at FROM memory;
INSERT INTO situation_evidence (collection_id, bucket, visits, last_at, features) VALUES
    (1, 'chan:cam+place:lab', 1, 1779999000000000000, '{"chan:cam": 1, "place:lab": 1}'),
    (1, 'place:hall', 1, 1779999000000000000, '{"place:hall": 1}');
