// SPDX-License-Identifier: Apache-2.0

/** Events that operators may count or log; the sandbox doesn't depend on a listener. */
export type SandboxEvent =
  | { readonly type: 'pool.hit' | 'pool.miss'; readonly image: string }
  /** `ms`: from the order to the agent's first message, or to the failure */
  | { readonly type: 'container.started' | 'container.start_failed'; readonly image: string; readonly ms: number }
  | { readonly type: 'pool.refill_failed'; readonly image: string; readonly error: Error }
  | { readonly type: 'container.not_removed'; readonly id: string; readonly error: Error }
  | { readonly type: 'engine.lost'; readonly error: Error | null }
  | { readonly type: 'engine.back' }
  /**
   * the engine is reachable and has no capacity for another container; until an operator adds capacity or lowers the
   * demand, calls wait for existing ones
   */
  | { readonly type: 'engine.quota'; readonly error: Error }
  /** the engine is reachable and refuses housekeeping requests, for example for lack of a right */
  | { readonly type: 'engine.refused'; readonly error: Error }
  | { readonly type: 'swept'; readonly containers: number };

export type SandboxEventListener = (event: SandboxEvent) => void;
