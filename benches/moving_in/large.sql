-- Makes a restored database of Unleash 6.3.0 a large one: 5,000 features, 15,000 configurations with a strategy each, and
-- 1,000,000 events.
\set ON_ERROR_STOP on
ALTER TABLE events DISABLE TRIGGER USER;
INSERT INTO features (name, description, type, project, impression_data, created_at, created_by_user_id)
SELECT 'large.feature-' || n, 'Made up, number ' || n, 'release', 'shop', n % 7 = 0, now() - n * interval '1 hour', 1
FROM generate_series(1, 5000 - (SELECT count(*)::int FROM features)) n;
INSERT INTO feature_environments (environment, feature_name, enabled)
SELECT environment, name, length(name) % 2 = 0
FROM features, unnest(ARRAY['development', 'production', 'staging']) environment
WHERE name LIKE 'large.%';
INSERT INTO feature_strategies (id, feature_name, project_name, environment, strategy_name, parameters, constraints, sort_order)
SELECT gen_random_uuid()::text, feature_name, 'shop', environment, 'flexibleRollout',
    jsonb_build_object('rollout', (10 + length(feature_name) * 7 % 90)::text, 'stickiness', 'userId', 'groupId', feature_name),
    jsonb_build_array(
        jsonb_build_object('contextName', 'plan', 'operator', 'IN', 'values', jsonb_build_array('pro', 'free', feature_name),
            'inverted', false, 'caseInsensitive', false),
        jsonb_build_object('contextName', 'cartValue', 'operator', 'NUM_GTE', 'value', (length(feature_name) * 13)::text,
            'values', '[]'::jsonb, 'inverted', false, 'caseInsensitive', false)),
    0
FROM feature_environments WHERE feature_name LIKE 'large.%';
INSERT INTO events (created_at, type, created_by, created_by_user_id, project, environment, feature_name, data, pre_data, announced)
SELECT now() - (1000000 - n) * interval '20 seconds',
    (ARRAY['feature-created', 'feature-strategy-update', 'feature-environment-enabled', 'feature-tagged'])[1 + n % 4],
    'somebody-' || n % 40 || '@example.com', 1, 'shop', (ARRAY['development', 'production', 'staging'])[1 + n % 3],
    'large.feature-' || 1 + n % 4900,
    json_build_object('name', 'flexibleRollout', 'id', md5(n::text), 'parameters', json_build_object('rollout', (n % 100)::text,
        'stickiness', 'userId', 'groupId', 'large.feature-' || 1 + n % 4900), 'constraints', '[]'::json, 'segments', '[]'::json),
    CASE WHEN n % 4 = 1 THEN jsonb_build_object('name', 'flexibleRollout', 'parameters',
        jsonb_build_object('rollout', ((n + 7) % 100)::text, 'stickiness', 'userId')) END,
    true
FROM generate_series(1, 1000000 - (SELECT count(*)::int FROM events)) n;
