// SPDX-License-Identifier: Apache-2.0
// What the agent runs as in every sandbox, whatever engine runs it.

/** A user of no account outside: unlikely to be anybody on the host. The image's recipe makes it. */
export const SANDBOX_UID = 10_001;

/**
 * Of the agent's runtime, which no job finds in its own environment: it compiles and collects on its own thread. It
 * ends where it can't start another, and a job may have taken all that there may be.
 * https://bun.com/docs/runtime/debugger#jsc-flags
 */
export const AGENT_VARIABLES = {
  BUN_JSC_useConcurrentJIT: '0',
  BUN_JSC_useConcurrentGC: '0',
  BUN_JSC_numberOfGCMarkers: '1',
} as const satisfies Readonly<Record<string, string>>;
