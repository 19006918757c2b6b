// SPDX-License-Identifier: Apache-2.0

/** What operators may want to count or log; nothing depends on anybody listening. */
export type SandboxEvent =
  | { readonly type: 'pool.hit' | 'pool.miss'; readonly image: string }
  /** `ms`: from the order to the agent's first word, or to the failure */
  | { readonly type: 'container.started' | 'container.start_failed'; readonly image: string; readonly ms: number }
  | { readonly type: 'pool.refill_failed'; readonly image: string; readonly error: Error }
  | { readonly type: 'container.not_removed'; readonly id: string; readonly error: Error }
  | { readonly type: 'engine.lost'; readonly error: Error | null }
  | { readonly type: 'engine.back' }
  /**
   * the engine is there and has no room for another container: until somebody gives it more, or asks for fewer, calls
   * wait for those that there are
   */
  | { readonly type: 'engine.quota'; readonly error: Error }
  /** the engine is there and won't do what keeps house: a right is missing, for example */
  | { readonly type: 'engine.refused'; readonly error: Error }
  | { readonly type: 'swept'; readonly containers: number };

export type SandboxEventListener = (event: SandboxEvent) => void;
