// SPDX-License-Identifier: Apache-2.0
import type { Signal } from './options.ts';

/** What a function of yours gets beside the arguments. */
export interface FunctionContext {
  readonly operationId: string;
  readonly attempt: number;
  /** aborts when the call is stopped, and with your own signal */
  readonly signal: Signal;
}

/**
 * A function of your process that runs as a call. It gets the arguments that were decided on, which a person may have
 * edited: use no others. Its result is JSON. Throw `NoEffectError` where nothing took effect; any other error means
 * that something may have.
 */
export type OwnFunction = (args: { readonly [name: string]: unknown }, context: FunctionContext) => unknown;
