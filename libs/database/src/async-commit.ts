// SPDX-License-Identifier: Apache-2.0
/**
 * For a statement in its own transaction: its COMMIT returns before it is on disk (PostgreSQL, "Asynchronous Commit").
 * A server that dies may lose the transaction, and nothing else. Use it ONLY for work that some process finds undone
 * and repeats with the same result, even if the first process lives on and the server came back without the work (ADR
 * 0078).
 */
export const ASYNC_COMMIT = "set_config('synchronous_commit', 'off', true)";
