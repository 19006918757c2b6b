// SPDX-License-Identifier: Apache-2.0
//
// The common part of all dialects. INVARIANT (one action): a call has the same canonical tool and arguments in every
// dialect, and so the same action digest. INVARIANT (never silence): everything in a model's output that looks like a
// call becomes a call or a problem.
import type { Outcome } from './outcome.ts';

/** The supported dialects: `openai` is chat completions, `yips` both of its envelopes. */
export const DIALECTS = ['blocks', 'tools-xml', 'yips', 'openai', 'openai-responses', 'anthropic', 'gemini'] as const;
export type DialectName = (typeof DIALECTS)[number];

/** Dialects in the text of a reply, which any model can use. */
export const TEXT_DIALECTS = ['blocks', 'tools-xml', 'yips'] as const satisfies readonly DialectName[];
export type TextDialect = (typeof TEXT_DIALECTS)[number];

export type Args = Readonly<Record<string, unknown>>;

/**
 * `run`: immediately; `stage`: shown and kept as a change that is applied by its token; `apply`: the staged change of
 * `args.token`.
 */
export type CallMode = 'run' | 'stage' | 'apply';

/** A call, converted to its canonical tool. */
export interface DialectCall {
  /** the model's own, or made from its position if the dialect has none; unique in an output */
  readonly id: string;
  /** as the model wrote it */
  readonly name: string;
  readonly tool_id: string;
  readonly args: Args;
  readonly mode: CallMode;
  /** options for the form of its answer, which the model set in terms of its dialect */
  readonly show: {
    readonly chars_max?: number;
    readonly legacy?: true;
    /** what was changed in its arguments before it ran, in words for the model */
    readonly warnings?: readonly string[];
  };
  /**
   * names of variables in its arguments, which MUST be filled in by `fillVariables` before the call is proposed; absent
   * if there are none
   */
  readonly variables?: readonly string[];
  /** where it begins in the output, in UTF-16 units */
  readonly at: number;
}

/**
 * `protocol`: the whole output runs no call, and the model has to write it again; `call`: that call doesn't run;
 * `warning`: reported, and everything else runs.
 */
export type ProblemLevel = 'protocol' | 'call' | 'warning';

/** A problem in an output, with its position. Attacker-controlled texts in it are truncated and shown in backticks. */
export interface Problem {
  readonly level: ProblemLevel;
  readonly message: string;
  /** the call that it is about; null without a readable id */
  readonly call_id: string | null;
  /** the name in the call; null if unknown */
  readonly name: string | null;
  /** in UTF-16 units from the beginning of the output */
  readonly at: number;
}

/** Why a model stopped, if the dialect has it. `length`: the output was truncated, and none of its calls run. */
export type Stop = 'end' | 'tool_use' | 'length';

/** A parsed output of a model. Calls and problems are in the order of the output. */
export interface Parsed {
  /** the text for people: without markers, fences and payloads */
  readonly text: string;
  readonly calls: readonly DialectCall[];
  readonly problems: readonly Problem[];
  readonly stop: Stop | null;
}

/** Parses one output as it streams. The result is the same however the output is split into chunks. */
export interface DialectParser {
  /**
   * Accepts the next chunk; returns the text for people that is certain by now. The concatenation of these texts is a
   * prefix of `Parsed.text`. Never throws.
   */
  push(chunk: string): string;
  /** Returns the parsed output. Called once, after all pushes. Never throws. */
  end(): Parsed;
}

/** A call or problem with its answer. */
export interface Answer {
  readonly call_id: string | null;
  readonly name: string | null;
  readonly tool_id: string | null;
  readonly show: DialectCall['show'];
  readonly outcome: Outcome;
}

/** A message for the model, in its provider's format. */
export type RenderedMessage = Readonly<Record<string, unknown>>;

/** The instructions for a model before it begins. */
export interface Prompt {
  /** text of the system prompt; empty if native schemas suffice */
  readonly system: string;
  /** schemas of tools in the provider's format; null for a dialect in text */
  readonly tools: readonly object[] | null;
}
