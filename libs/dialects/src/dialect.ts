// SPDX-License-Identifier: Apache-2.0
//
// What all dialects have in common. INVARIANT (one action): a call means the same canonical tool and arguments in
// whatever dialect it was written, so its action digest does too. INVARIANT (never silence): whatever a model writes
// that looks like a call is a call or a problem.
import type { Outcome } from './outcome.ts';

/** The dialects that there are: `openai` is chat completions, `yips` both of its envelopes. */
export const DIALECTS = ['blocks', 'tools-xml', 'yips', 'openai', 'openai-responses', 'anthropic', 'gemini'] as const;
export type DialectName = (typeof DIALECTS)[number];

/** Those that are written in the text of a reply, so that any model can speak them. */
export const TEXT_DIALECTS = ['blocks', 'tools-xml', 'yips'] as const satisfies readonly DialectName[];
export type TextDialect = (typeof TEXT_DIALECTS)[number];

export type Args = Readonly<Record<string, unknown>>;

/**
 * `run`: as it is; `stage`: shown and kept as a change that is applied by its token; `apply`: the staged change that
 * `args.token` names.
 */
export type CallMode = 'run' | 'stage' | 'apply';

/** A call, as the canonical tool that it means. */
export interface DialectCall {
  /** the model's own, or made from its place where the dialect has none; once in an output */
  readonly id: string;
  /** as the model wrote it */
  readonly name: string;
  readonly tool_id: string;
  readonly args: Args;
  readonly mode: CallMode;
  /** what its answer is to say besides the result: what the model asked for, in words of its dialect */
  readonly show: { readonly chars_max?: number; readonly legacy?: true };
  /** where it begins in the output, in UTF-16 units */
  readonly at: number;
}

/**
 * `protocol`: the whole output runs no call, and the model is told to write it anew; `call`: that call doesn't run;
 * `warning`: said, and all else runs.
 */
export type ProblemLevel = 'protocol' | 'call' | 'warning';

/** What is wrong with an output: what, and where. Attacker-controlled texts in it are cut and shown in backticks. */
export interface Problem {
  readonly level: ProblemLevel;
  readonly message: string;
  /** the call that it is about; null where it has no id that can be read */
  readonly call_id: string | null;
  /** how the call was named; null where it isn't known */
  readonly name: string | null;
  /** in UTF-16 units from the beginning of the output */
  readonly at: number;
}

/** Why a model stopped, where the dialect says it: `length`, it was cut off, and none of its calls run. */
export type Stop = 'end' | 'tool_use' | 'length';

/** An output of a model, read. Calls and problems in the order in which they stand. */
export interface Parsed {
  /** what is for people: without markers, fences and payloads */
  readonly text: string;
  readonly calls: readonly DialectCall[];
  readonly problems: readonly Problem[];
  readonly stop: Stop | null;
}

/** Reads one output as it streams. However it is cut into chunks, the result is the same. */
export interface DialectParser {
  /**
   * Takes what came; returns text for people that is certain now. What all pushes return is a beginning of
   * `Parsed.text`. Never throws.
   */
  push(chunk: string): string;
  /** Says what the output was. Called once; nothing is pushed afterwards. Never throws. */
  end(): Parsed;
}

/** A call or problem with what its answer says. */
export interface Answer {
  readonly call_id: string | null;
  readonly name: string | null;
  readonly tool_id: string | null;
  readonly show: DialectCall['show'];
  readonly outcome: Outcome;
}

/** A message for the model, in the shape that its provider takes. */
export type RenderedMessage = Readonly<Record<string, unknown>>;

/** What a model is told before it begins. */
export interface Prompt {
  /** text of the system prompt; empty where native schemas say it all */
  readonly system: string;
  /** schemas of tools as the provider takes them; null for a dialect that is written in text */
  readonly tools: readonly object[] | null;
}
