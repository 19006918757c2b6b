-- For info_store.forget_changes, which finds what an erased call put into stores.
CREATE INDEX change_by_operation ON info_store.change (tenant_id, operation_id);
