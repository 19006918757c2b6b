// SPDX-License-Identifier: Apache-2.0

/** Of the longest input, in UTF-8. */
export const INPUT_BYTES_MAX = 1_000_000;
/** Eight bytes say how many inputs were begun and how long the last one is; then it stands there. */
export const SHARED_BYTES = 8 + INPUT_BYTES_MAX;

/** What the thread that fuzzes is told. */
export interface FuzzOrder {
  readonly seconds: number;
  readonly seed: number;
  readonly shared: SharedArrayBuffer;
}

export interface Progress {
  readonly kind: 'progress';
  readonly executions: number;
  /** blocks of code that have run at least once */
  readonly blocks: number;
  /** kinds of answers */
  readonly kinds: number;
  readonly kept: number;
  readonly slowestMs: number;
}

export type Found =
  | {
      readonly kind: 'over';
      readonly executions: number;
      readonly blocks: number;
      readonly kinds: number;
      readonly slowestMs: number;
      /** heap after a quarter of the time, and at the end */ readonly warmBytes: number;
      readonly endBytes: number;
    }
  | { readonly kind: 'broken'; readonly executions: number; readonly input: string; readonly error: string };
