//! Rows of change requests, as they stand in the old database.

/// One change request of each state, with what belongs to it, and the log of two of them.
pub const EACH_STATE: &str = r#"
INSERT INTO change_requests (id, environment, state, project, created_by, created_at, min_approvals, title) VALUES
  (11, 'production', 'Draft', 'payments', 3, '2026-10-01T10:00:00Z', 2, NULL),
  (12, 'production', 'In review', 'payments', 4, '2026-10-02T10:00:00Z', 2, 'Instant payments'),
  (13, 'production', 'Approved', 'payments', 5, '2026-10-03T10:00:00Z', 1, '  Fraud model  '),
  (14, 'production', 'Scheduled', 'payments', 6, '2026-10-04T10:00:00Z', 1, 'At Christmas'),
  (15, 'production', 'Applied', 'payments', 2, '2026-10-05T10:00:00Z', 1, NULL),
  (16, 'production', 'Rejected', 'payments', 2, '2026-10-06T10:00:00Z', 1, NULL),
  (17, 'production', 'Cancelled', 'payments', 7, '2026-10-07T10:00:00Z', 1, NULL),
  (18, 'production', 'Approved', 'payments', 10, '2026-10-08T10:00:00Z', 1, 'With a plan'),
  (19, 'production', 'Applied', 'payments', 2, '2026-10-09T10:00:00Z', 1, 'Without a log');
INSERT INTO change_request_events (id, feature, action, payload, created_by, created_at, change_request_id) VALUES
  (21, 'pay.3ds2', 'updateEnabled', '{"enabled": true}', 3, '2026-10-01T10:00:00Z', 11),
  (22, 'pay.sepa-instant', 'addStrategy', '{"name": "flexibleRollout", "constraints": [], "segments": [1],
    "parameters": {"rollout": 20, "stickiness": "default", "groupId": "sepa"}}', 4, '2026-10-02T10:00:00Z', 12),
  (23, 'pay.fraud-model', 'updateStrategy', '{"id": "01M811681C8AAS3JD9FDMD6H4A", "name": "flexibleRollout",
    "constraints": [], "parameters": {"rollout": "99", "stickiness": "random", "groupId": "fraud"},
    "snapshot": {"name": "flexibleRollout", "parameters": {"rollout": "51"}}}', 5, '2026-10-03T10:00:00Z', 13),
  (24, 'pay.fraud-model', 'updateEnabled', '{"enabled": true}', 5, '2026-10-03T10:01:00Z', 13),
  (25, 'pay.3ds2', 'archiveFeature', '[]', 6, '2026-10-04T10:00:00Z', 14),
  (26, 'pay.3ds2', 'updateEnabled', '{"enabled": false}', 2, '2026-10-05T10:00:00Z', 15),
  (27, 'pay.3ds2', 'patchVariant', '{"variants": []}', 2, '2026-10-06T10:00:00Z', 16),
  (28, 'pay.3ds2', 'updateEnabled', '{"enabled": false}', 7, '2026-10-07T10:00:00Z', 17),
  (29, 'pay.retry-backoff', 'updateEnabled', '{"enabled": false}', 10, '2026-10-08T10:00:00Z', 18),
  (30, 'pay.retry-backoff', 'addReleasePlan', '{"templateId": "t"}', 10, '2026-10-08T10:01:00Z', 18),
  (31, 'pay.3ds2', 'updateEnabled', '{"enabled": true}', 2, '2026-10-09T10:00:00Z', 19);
INSERT INTO change_request_approvals (change_request_id, created_by, created_at) VALUES
  (12, 1, '2026-10-02T11:00:00Z'), (13, 1, '2026-10-03T11:00:00Z'), (14, 2, '2026-10-04T11:00:00Z'),
  (15, 1, '2026-10-05T11:00:00Z'), (18, 1, '2026-10-08T11:00:00Z'), (19, 1, '2026-10-09T11:00:00Z');
INSERT INTO change_request_rejections (change_request_id, created_by, created_at) VALUES
  (16, 1, '2026-10-06T11:00:00Z');
INSERT INTO change_request_comments (id, change_request, text, created_at, created_by) VALUES
  (41, 13, 'Tried in staging', '2026-10-03T10:30:00Z', 7);
INSERT INTO change_request_requested_approvers (change_request_id, user_id, requested_at) VALUES
  (12, 2, '2026-10-02T10:05:00Z'), (12, 1, '2026-10-02T10:05:00Z');
INSERT INTO change_request_schedule (change_request, scheduled_at, created_by, status) VALUES
  (14, '2026-12-24 09:00:00', 2, 'pending');
INSERT INTO events (type, created_by, created_by_user_id, created_at, data, project, environment) VALUES
  ('change-request-created', 'zoe', 5, '2026-10-03T10:00:00Z', '{"changeRequestId": 13}', 'payments', 'production'),
  ('change-added', 'zoe', 5, '2026-10-03T10:00:00Z', '{"changeRequestId": 13, "change": {"id": 23,
    "action": "updateStrategy", "feature": "pay.fraud-model", "payload": {}}}', 'payments', 'production'),
  ('change-request-approval-added', 'admin', 1, '2026-10-03T11:00:00Z', '{"changeRequestId": 13}', 'payments', 'production'),
  ('change-request-approved', 'admin', 1, '2026-10-03T11:00:01Z', '{"changeRequestId": 13}', 'payments', 'production'),
  ('change-request-created', 'ada', 2, '2026-10-05T10:00:00Z', '{"changeRequestId": 15}', 'payments', 'production'),
  ('change-request-approval-added', 'admin', 1, '2026-10-05T11:00:00Z', '{"changeRequestId": 15}', 'payments', 'production'),
  ('change-request-applied', 'ada', 2, '2026-10-05T12:00:00Z', '{"changeRequestId": 15}', 'payments', 'production');
"#;

/// Rows that no server makes.
pub const HOSTILE: &str = r#"
ALTER TABLE change_requests DROP CONSTRAINT change_requests_project_fkey,
  DROP CONSTRAINT change_requests_environment_fkey, DROP CONSTRAINT change_requests_created_by_fkey;
ALTER TABLE change_request_events DROP CONSTRAINT change_request_events_feature_fkey,
  DROP CONSTRAINT change_request_events_created_by_fkey, DROP CONSTRAINT change_request_events_change_request_id_fkey;
ALTER TABLE change_request_approvals DROP CONSTRAINT change_request_approvals_created_by_fkey;
ALTER TABLE change_request_comments DROP CONSTRAINT change_request_comments_created_by_fkey;
DROP INDEX unique_pending_request_per_user_project_env;
INSERT INTO change_requests (id, environment, state, project, created_by, created_at, min_approvals, title) VALUES
  (51, 'production', 'In review', 'nowhere', 2, now(), 1, NULL),
  (52, 'nowhere', 'In review', 'payments', 2, now(), 1, NULL),
  (53, 'production', 'In review', 'payments', 999, now(), 1, NULL),
  (54, 'production', 'Asleep', 'payments', 2, now(), 1, NULL),
  (55, 'production', 'In review', 'payments', 3, now(), 1000000, repeat('long ', 100)),
  (56, 'production', 'In review', 'payments', 4, 'infinity', 1, NULL),
  (57, NULL, 'In review', 'payments', 4, now(), 1, NULL),
  (58, 'production', 'In review', 'payments', 2, now(), 1, NULL);
INSERT INTO change_request_events (id, feature, action, payload, created_by, created_at, change_request_id) VALUES
  (61, 'pay.3ds2', 'updateEnabled', '"on"', 3, now(), 55),
  (62, 'pay.3ds2', 'updateEnabled', '{"enabled": false}', 999, now(), 55),
  (63, NULL, 'updateEnabled', '{"enabled": false}', 3, now(), 55),
  (64, 'a feature that never was', 'updateEnabled', '{"enabled": false}', 3, now(), 55),
  (65, 'pay.3ds2', '', '[1, 2, 3]', 4, now(), 56),
  (66, 'pay.3ds2', 'updateEnabled', '{"enabled": false}', 3, now(), 999),
  (67, 'pay.3ds2', 'updateEnabled', '{"enabled": false}', 2, now(), 58);
INSERT INTO change_request_approvals (change_request_id, created_by, created_at) VALUES (55, 999, now()), (55, 1, now());
INSERT INTO change_request_comments (change_request, text, created_at, created_by)
  SELECT 55, 'comment ' || number, '2026-10-01'::timestamptz + number * interval '1 second', 1
  FROM generate_series(1, 10000) AS number;
INSERT INTO change_request_comments (change_request, text, created_at, created_by) VALUES
  (55, repeat('x', 5000), now(), 1), (55, '   ', now(), 1), (55, 'a ghost', now(), 999);
"#;
