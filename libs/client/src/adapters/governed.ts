// SPDX-License-Identifier: Apache-2.0
// What all adapters do (ADR 0169): they propose a call with the framework's own id of it as its idempotency key, and
// run it where Writ admits it.
// INVARIANT (only Writ decides): no answer of a framework or of its user runs a function. It only makes the adapter ask
// Writ again. A tool that is not listed is denied, and so is a call whose question fails.
import type { Call, CallOptions, WaitOptions } from '../calls.ts';
import type { OwnFunction } from '../functions.ts';
import type { RequestOptions, Signal } from '../options.ts';
import { sleep } from '../platform.ts';
import { denialOf, errorOf, heldOf, unlisted, unnamed, type Denied, type Held } from './denials.ts';
import { toolOf, type GovernedTool, type GovernedTools } from './governed-tool.ts';
import { inSpan, traceHeaders, type Telemetry } from './telemetry.ts';

/** The parts of a client that adapters use. `Writ` has them. */
export interface GovernedClient {
  call(toolId: string, args: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<Call>;
  perform(
    toolId: string,
    args: Readonly<Record<string, unknown>>,
    run: OwnFunction,
    options?: CallOptions,
  ): Promise<Call>;
  readonly operations: {
    get(operationId: string, query?: object, options?: RequestOptions): Promise<{ state: string }>;
  };
}

/** Options of an adapter. */
export interface GovernOptions {
  /** further members of each call, such as `capability_token_id` or `session_id` */
  readonly fields?: CallOptions['fields'];
  /** what tells conversations apart, where the ids of a model's calls repeat, such as the id of the conversation */
  readonly scope?: string;
  /** `@opentelemetry/api`, for spans */
  readonly telemetry?: Telemetry;
}

/** The call has run, or ran before, and this is its result. */
export interface Done {
  readonly outcome: 'ok';
  readonly operationId: string;
  readonly value: unknown;
}

/** What came of a call. */
export type Answer = Done | Held | Denied;

/** Writ admits the call: `run` runs it. */
export interface Admitted {
  readonly outcome: 'admitted';
  readonly operationId: string;
}

/** A call as a framework knows it. */
export interface FrameworkCall {
  /** the name by which the model calls the tool */
  readonly name: string;
  readonly args: unknown;
  /** the framework's own id of the call */
  readonly callId: string | undefined;
  readonly signal?: Signal | null | undefined;
}

/** Decides and runs the calls of a framework by Writ. */
export interface Governed {
  /** Asks Writ for its decision, and runs nothing. Never rejects. */
  decide(call: FrameworkCall): Promise<Admitted | Held | Denied>;
  /** Asks Writ for its decision, and runs the function where it is admitted, once. Never rejects. */
  run(call: FrameworkCall): Promise<Answer>;
  /** Waits until a held call has been decided, or its approval expires. */
  untilDecided(operationId: string, options?: WaitOptions): Promise<void>;
}

/** The form of an idempotency key of the API. */
const KEY = /^[\x21-\x7e]{1,255}$/;
/** A call that another process runs is waited for as long as a request may take. */
const SETTLED_MS = 120_000;
const PAUSE_MS = 500;

/** A call of a listed tool, as Writ gets it. */
interface Proposal {
  readonly tool: GovernedTool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly options: CallOptions;
}

/** What all adapters are made of. */
export function governed(writ: GovernedClient, tools: GovernedTools, options: GovernOptions = {}): Governed {
  return {
    async decide(call) {
      const proposal = proposalOf(call, tools, options);
      if ('outcome' in proposal) return proposal;
      try {
        const made = await writ.call(proposal.tool.toolId, proposal.args, proposal.options);
        if (made.outcome === 'held') return heldOf(made);
        if (made.outcome === 'refused') return denialOf(made);
        // One that has ended before is admitted too: `run` gives what came of it, and runs nothing.
        return { outcome: 'admitted', operationId: made.operationId };
      } catch (error) {
        return errorOf(error, false);
      }
    },
    async run(call) {
      const { name, callId = '' } = call;
      const toolId = toolOf(tools, name)?.toolId ?? name;
      // The proposal is made within the span, whose trace it names.
      return await inSpan(options.telemetry, { name, toolId, callId }, async () => {
        const proposal = proposalOf(call, tools, options);
        return 'outcome' in proposal ? proposal : await perform(writ, proposal);
      });
    },
    untilDecided: (operationId, wait) => untilDecided(writ, operationId, wait),
  };
}

function proposalOf(
  { name, args, callId, signal }: FrameworkCall,
  tools: GovernedTools,
  { fields, scope, telemetry }: GovernOptions,
): Proposal | Denied {
  const tool = toolOf(tools, name);
  if (tool === undefined) return unlisted(name);
  const idempotencyKey = `adapter:${scope === undefined ? '' : `${scope}:`}${callId ?? ''}`;
  if (callId === undefined || callId === '' || !KEY.test(idempotencyKey)) return unnamed(name);
  return {
    tool,
    // What is no object is for Writ to refuse, by the schema of the tool.
    args: (args ?? {}) as Readonly<Record<string, unknown>>,
    options: {
      idempotencyKey,
      headers: traceHeaders(telemetry),
      ...(fields === undefined ? {} : { fields }),
      ...(signal === undefined || signal === null ? {} : { signal }),
    },
  };
}

async function perform(writ: GovernedClient, { tool, args, options }: Proposal): Promise<Answer> {
  let hasBegun = false;
  const run: OwnFunction = (decided, context) => {
    hasBegun = true;
    return tool.run(decided, context);
  };
  try {
    return await answerOf(await writ.perform(tool.toolId, args, run, options));
  } catch (error) {
    return errorOf(error, hasBegun);
  }
}

async function untilDecided(
  writ: GovernedClient,
  operationId: string,
  { timeoutMs, ...request }: WaitOptions = {},
): Promise<void> {
  const end = timeoutMs === undefined ? Infinity : Date.now() + timeoutMs;
  for (;;) {
    if ((await writ.operations.get(operationId, {}, request)).state !== 'held') return;
    if (Date.now() >= end) throw new Error(`\`${operationId}\` was not decided within ${String(timeoutMs)} ms`);
    await sleep(Math.min(PAUSE_MS, Math.max(0, end - Date.now())), request.signal);
  }
}

async function answerOf(made: Call): Promise<Answer> {
  // Another process of this agent runs it.
  const call = made.outcome === 'running' ? await made.settled({ timeoutMs: SETTLED_MS }) : made;
  if (call.outcome === 'held') return heldOf(call);
  if (call.outcome === 'ok') {
    const { operationId, toolResult } = call;
    return { outcome: 'ok', operationId, value: toolResult.result };
  }
  return denialOf(call);
}

/** A result as a text for a model. */
export const textOf = (answer: Answer): string => {
  if (answer.outcome !== 'ok') return answer.text;
  return typeof answer.value === 'string' ? answer.value : JSON.stringify(answer.value ?? null);
};
