-- Returns whether a call has ended for good: nothing more happens to it, and no person needs to resolve it any more.
CREATE OR REPLACE FUNCTION kernel.is_over(o kernel.operation) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT o.state IN ('refused', 'committed', 'rolled_back', 'no_op') OR (o.state = 'ambiguous' AND o.resolution IS NOT NULL) $$;
GRANT EXECUTE ON FUNCTION kernel.is_over(kernel.operation) TO writ_kernel;
