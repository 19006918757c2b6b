// SPDX-License-Identifier: Apache-2.0
import { parseTimeSpan } from './time-span.ts';
import type { FailureMode, PredicateKind } from './schema.ts';

export interface PredicateSource {
  readonly kind: PredicateKind;
  readonly args?: readonly string[];
}
export interface TemplateSource {
  readonly source: string;
  readonly values: Readonly<Record<string, string>>;
}
export interface PatchSource {
  readonly find: string;
  readonly replace: string;
}

/** An operation as it is written. */
export interface Operation {
  readonly verb: string;
  readonly args?: readonly string[];
  readonly maxRetries?: number;
  readonly stepTimeout?: string;
  readonly label?: string;
  readonly onFailure?: string;
  readonly captureAs?: string;
  readonly template?: TemplateSource;
  readonly patches?: readonly PatchSource[];
  readonly forEach?: { readonly items: readonly string[]; readonly body: Operation };
  readonly if?: { readonly predicate: PredicateSource; readonly then: Operation };
}

interface OptionsSource {
  readonly maxRetries?: number;
  readonly retryDelay?: string;
  readonly stepTimeout?: string;
  readonly scriptTimeout?: string;
  readonly failureMode?: FailureMode;
  readonly maxOutputBytes?: number;
  readonly maxErrorBytes?: number;
  readonly pipeStepOutput?: boolean;
}

/** A script whose shape is valid; nothing else is checked. */
export interface Script {
  readonly operations: readonly Operation[];
  readonly options?: OptionsSource;
  readonly cleanup?: readonly Operation[];
}

/** Settings of a script, with all defaults filled in; times in milliseconds. */
export interface ScriptOptions {
  readonly maxRetries: number;
  readonly retryDelayMs: number;
  readonly stepTimeoutMs: number;
  readonly scriptTimeoutMs: number;
  readonly failureMode: FailureMode;
  readonly maxOutputBytes: number;
  readonly maxErrorBytes: number;
  readonly pipeStepOutput: boolean;
}

export const DEFAULT_OPTIONS: ScriptOptions = {
  maxRetries: 0,
  retryDelayMs: 2_000,
  stepTimeoutMs: 30_000,
  scriptTimeoutMs: 300_000,
  failureMode: 'StopOnFirstError',
  maxOutputBytes: 1_048_576,
  maxErrorBytes: 262_144,
  pipeStepOutput: false,
};

/** The settings of a script, with defaults. */
export function optionsOf({ options = {} }: Script): ScriptOptions {
  const ms = (text: string | undefined, unless: number): number =>
    text === undefined ? unless : (parseTimeSpan(text) ?? unless);
  return {
    maxRetries: options.maxRetries ?? DEFAULT_OPTIONS.maxRetries,
    retryDelayMs: ms(options.retryDelay, DEFAULT_OPTIONS.retryDelayMs),
    stepTimeoutMs: ms(options.stepTimeout, DEFAULT_OPTIONS.stepTimeoutMs),
    scriptTimeoutMs: ms(options.scriptTimeout, DEFAULT_OPTIONS.scriptTimeoutMs),
    failureMode: options.failureMode ?? DEFAULT_OPTIONS.failureMode,
    maxOutputBytes: options.maxOutputBytes ?? DEFAULT_OPTIONS.maxOutputBytes,
    maxErrorBytes: options.maxErrorBytes ?? DEFAULT_OPTIONS.maxErrorBytes,
    pipeStepOutput: options.pipeStepOutput ?? DEFAULT_OPTIONS.pipeStepOutput,
  };
}
