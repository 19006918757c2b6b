// SPDX-License-Identifier: Apache-2.0
/**
 * In a statement that is a transaction of its own: its COMMIT answers before the disk has it (PostgreSQL, "Asynchronous
 * Commit"); a server that dies may lose it, and never anything else. ONLY for what is done again, to the same end, by
 * whoever finds it undone, even where the process that did it lives on and the server came back without it (ADR 0078).
 */
export const UNAWAITED = "set_config('synchronous_commit', 'off', true)";
