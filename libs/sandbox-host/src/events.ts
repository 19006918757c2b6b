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
  | { readonly type: 'swept'; readonly containers: number };

export type SandboxEventListener = (event: SandboxEvent) => void;
