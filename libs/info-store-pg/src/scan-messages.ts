// SPDX-License-Identifier: Apache-2.0
// Messages between VectorScanner and its thread.
import type { Ranking, VectorBlock } from './top-hits.ts';

export type ToThread =
  | {
      readonly type: 'open';
      readonly job: number;
      readonly key: string;
      /** caches the pages of this job, if they fit */
      readonly keeps: boolean;
      readonly query: Float32Array;
      readonly most: number;
      readonly only: Float64Array | null;
    }
  | ({ readonly type: 'page'; readonly job: number } & VectorBlock)
  | { readonly type: 'end'; readonly job: number }
  | { readonly type: 'cancel'; readonly job: number };

export type FromThread =
  /** the answer to `open`, if the version isn't cached, and to each `page`: the next page may come */
  | { readonly type: 'more'; readonly job: number }
  | { readonly type: 'result'; readonly job: number; readonly ranking: Ranking };

export interface ThreadData {
  readonly cacheBytesMax: number;
}
