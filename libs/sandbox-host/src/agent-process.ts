// SPDX-License-Identifier: Apache-2.0
// The user and the environment of the agent in every sandbox, whatever engine runs it.

/** A user id that the host is unlikely to use. The image's recipe creates the user. */
export const SANDBOX_UID = 10_001;

/**
 * Variables of the agent's runtime, which jobs don't get. Compilation and garbage collection run on the agent's own
 * thread. The runtime ends where it can't start another thread, and a job may have used up all of them.
 * https://bun.com/docs/runtime/debugger#jsc-flags
 */
export const AGENT_VARIABLES = {
  BUN_JSC_useConcurrentJIT: '0',
  BUN_JSC_useConcurrentGC: '0',
  BUN_JSC_numberOfGCMarkers: '1',
} as const satisfies Readonly<Record<string, string>>;
