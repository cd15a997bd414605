"""BLD-01: the generated classes have the names, fields, types and defaults that the contract promises."""

import pytest

msg = pytest.importorskip('robotmem_ros.msg')
srv = pytest.importorskip('robotmem_ros.srv')

POSE = 'geometry_msgs/PoseStamped'
TIME = 'builtin_interfaces/Time'
MEMORIES = 'sequence<robotmem_ros/Memory>'
FEATURES = 'sequence<robotmem_ros/SituationFeature>'
STRINGS = 'sequence<string>'

# Each as 'field field:type'; a field without a type is a string.
MESSAGES = {
    'SituationFeature': 'kind value',
    'SimilarMemory': 'id:int64 content similarity:double',
    'Perception': f'header:std_msgs/Header seq:uint32 source features:{FEATURES} perception_type description data '
                  'session_id collection pose:geometry_msgs/Pose has_pose:boolean map_id',
    'SceneHit': f'header:std_msgs/Header key origin created:boolean similarity:double strength:uint32 '
                f'features:{FEATURES} memory_count:uint32 memories:{MEMORIES}',
    'Scene': f'key origin strength:uint32 features:{FEATURES} memory_count:uint32 last_hit:{TIME}',
    'Memory': 'id:int64 content type category perception_type tier confidence:double score:double score_text:double '
              'score_vector:double score_hebbian:double retention:double context session_id collection '
              f'tags:{STRINGS} scenes:{STRINGS} use_count:uint32 created_at:{TIME} last_accessed:{TIME} '
              f'has_pose:boolean pose:{POSE} map_id',
    'MemoryStatus': 'ready:boolean state reason mode embed_backend model embed_dim:uint32 db_path collection '
                    'active_memories:int64 pending_vectors:int64 scenes:uint32 scene_in_force '
                    'perceptions_stored:uint64 perceptions_refused:uint64 perceptions_dropped:uint64 scene_hits:uint64 '
                    f'empty_scene_hits:uint64 incompatible_qos:uint32 stamp:{TIME}',
}
SERVICES = {
    'Learn': ('insight context category session_id collection confidence:double strength:double '
              f'tags:{STRINGS} scene pose:{POSE} map_id',
              'status memory_id:int64 method similarity:double similar:sequence<robotmem_ros/SimilarMemory> '
              f'scenes:{STRINGS}'),
    'Recall': ('query n:int32 min_confidence:double session_id context_session collection category type '
               f'tags:{STRINGS} context_filter spatial_sort near:{POSE} radius:double map_id since:{TIME} until:{TIME} '
               'scene reinforce:boolean',
               f'memories:{MEMORIES} total:int32 mode query_ms:double'),
    'EndSession': ('session_id has_outcome_score:boolean outcome_score:double',
                   'merged_groups:int32 superseded_count:int32 compression_ratio:double avg_similarity:double '
                   f'decayed_count:int32 related_memories:{MEMORIES} summary_json'),
    'StartSession': ('context collection', 'session_id collection active_memories_count:int64'),
    'Update': ('memory_id:int64 new_content context', 'old_content duplicate_of:int64'),
    'Forget': ('memory_id:int64 reason', ''),
    'SavePerception': ('perception:robotmem_ros/Perception', 'memory_id:int64'),
    'Promote': ('memory_id:int64', 'tier'),
    'DeclareScene': ('key collection', 'key created:boolean'),
    'ListScenes': ('collection prefix', 'scenes:sequence<robotmem_ros/Scene>'),
    'RebuildScenes': ('collection dry_run:boolean', 'backup_path removed:int32'),
    'Link': ('memory_a:int64 memory_b:int64 weight:double', 'weight:double'),
    'Maintain': ('dry_run:boolean gc_threshold:double purge_after_days:double cleanup_duplicates:boolean', ''),
    'Stats': ('collection', 'stats_json'),
    'Backup': ('path', 'path bytes:int64'),
}
DEFAULTS = {
    ('Learn', 'confidence'): 0.9, ('Learn', 'strength'): 1.0, ('Recall', 'n'): 5, ('Recall', 'min_confidence'): 0.3,
    ('Recall', 'radius'): 0.0, ('Recall', 'reinforce'): True, ('Link', 'weight'): 1.0,
    ('Maintain', 'gc_threshold'): 0.1, ('Maintain', 'purge_after_days'): 0.0, ('Maintain', 'dry_run'): False,
}


def fields(promised: str) -> dict[str, str]:
    """Return name -> type of a line of the tables above."""
    return {name: kind or 'string' for name, _, kind in (word.partition(':') for word in promised.split())}


def fields_of(interface: type) -> dict[str, str]:
    """Return name -> type of a generated class."""
    return dict(interface.get_fields_and_field_types())


@pytest.mark.parametrize('name', MESSAGES)
def test_message_has_the_promised_fields(name):
    assert fields_of(getattr(msg, name)).items() >= fields(MESSAGES[name]).items()


@pytest.mark.parametrize('name', SERVICES)
def test_service_has_the_promised_fields(name):
    service = getattr(srv, name)
    asked, answered = map(fields, SERVICES[name])
    assert fields_of(service.Request).items() >= asked.items()
    assert fields_of(service.Response).items() >= answered.items()


@pytest.mark.parametrize('name', SERVICES)
def test_every_response_begins_with_success_error_and_warning(name):
    begin = list(fields_of(getattr(srv, name).Response).items())[:3]
    assert begin == [('success', 'boolean'), ('error', 'string'), ('warning', 'string')]


@pytest.mark.parametrize(('service', 'field'), DEFAULTS)
def test_optional_request_field_has_its_real_default(service, field):
    assert getattr(getattr(srv, service).Request(), field) == DEFAULTS[service, field]


def test_nothing_is_generated_that_the_contract_does_not_name(checkout):
    assert {path.stem for path in (checkout / 'msg').glob('*.msg')} == set(MESSAGES)
    assert {path.stem for path in (checkout / 'srv').glob('*.srv')} == set(SERVICES)


def test_every_field_is_commented(checkout):
    """Unit, range or meaning stand beside each field: `ros2 interface show` is the reference that people read."""
    bare = [f'{path.name}: {line}' for folder in ('msg', 'srv') for path in sorted((checkout / folder).iterdir())
            for line in path.read_text().splitlines() if line and line != '---' and '# ' not in line]
    assert not bare


def test_a_message_survives_the_wire():
    """The type support of this package is found and loaded, not only its Python classes."""
    serialization = pytest.importorskip('rclpy.serialization')
    sent = msg.SceneHit(key='place:dock_2', memories=[msg.Memory(id=2**40, content='夹爪 grip_force=12.5N')])
    assert serialization.deserialize_message(serialization.serialize_message(sent), msg.SceneHit) == sent
