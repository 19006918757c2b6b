-- No version calls these any more.
DROP FUNCTION IF EXISTS kernel.sandboxes(text, text, text, bigint, text, integer);
DROP FUNCTION IF EXISTS kernel.waiting_in_other_images(text[], integer, integer);
DELETE FROM kernel.applied_function WHERE name IN ('sandboxes', 'waiting_in_other_images');
