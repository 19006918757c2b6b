// SPDX-License-Identifier: Apache-2.0

/** The longest input, in bytes of UTF-8. */
export const INPUT_BYTES_MAX = 1_000_000;
/** Eight bytes for the number of started inputs and the length of the current one; the input follows. */
export const SHARED_BYTES = 8 + INPUT_BYTES_MAX;

/** The order for the fuzzing thread. */
export interface FuzzOrder {
  readonly seconds: number;
  readonly seed: number;
  readonly shared: SharedArrayBuffer;
}

export interface Progress {
  readonly kind: 'progress';
  readonly executions: number;
  /** blocks of code that have been executed */
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
