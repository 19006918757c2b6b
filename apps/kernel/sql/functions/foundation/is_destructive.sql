-- Returns whether a call's risk basis has a rule of the risk table that holds or refuses calls for what they destroy.
-- An index of operations uses it. A spec compares the list with the risk table.
CREATE OR REPLACE FUNCTION kernel.is_destructive(p_basis text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_basis && ARRAY[
    'delete.root', 'delete.home', 'delete.workspace', 'delete.outside', 'delete.workspace_files', 'delete.git', 'delete.tree', 'delete.many', 'delete.unknown',
    'delete.scratch_tree', 'write.emptied', 'loss.work', 'loss.history', 'loss.shared_history', 'loss.database', 'loss.infrastructure', 'loss.remote'];
$$;
GRANT EXECUTE ON FUNCTION kernel.is_destructive(text[]) TO writ_kernel, writ_kernel_worker;
