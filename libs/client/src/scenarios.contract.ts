// SPDX-License-Identifier: Apache-2.0
// Runs the scenarios of sdk/vectors/scenarios.json with the client: against a real Writ to record them, and against
// what was recorded.
import type { Call } from './calls.ts';
import { CallError, ProblemError } from './errors.ts';
import type { TrustedKeys } from './verified-receipt.ts';
import type { Writ } from './writ.ts';

/** Who does a step: a key of that role. */
export type Actor = 'agent' | 'operator';

/** What a program does. `as` names the call for later steps. */
export type Step =
  | {
      readonly do: 'call';
      readonly as: string;
      readonly tool: string;
      readonly args: Readonly<Record<string, unknown>>;
      readonly key: string;
      readonly wait_ms?: number;
    }
  | { readonly do: 'result' | 'receipt' | 'cancel'; readonly of: string }
  | { readonly do: 'approve' | 'deny'; readonly of: string; readonly comment: string }
  | { readonly do: 'list'; readonly limit: number };

/** One request with its answer. */
export interface Exchange {
  readonly by: Actor;
  readonly method: string;
  readonly path: string;
  readonly idempotency_key: string | null;
  /** the parsed JSON; null without a body */
  readonly body: unknown;
  readonly answer: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
}

export interface RecordedStep {
  readonly step: Step;
  readonly exchanges: readonly Exchange[];
  /** what the program gets: the outcome of a call, its result, or the code of an error */
  readonly gives: unknown;
}

export interface Scenario {
  readonly name: string;
  readonly steps: readonly RecordedStep[];
}

/** What a scenario runs with. */
export interface ScenarioWorld {
  readonly clients: Readonly<Record<Actor, Writ>>;
  readonly trusted: TrustedKeys;
  readonly calls: Map<string, Call>;
}

/** Runs a step, and returns what it gives as JSON. */
export async function runStep(world: ScenarioWorld, step: Step): Promise<unknown> {
  try {
    return await given(world, step);
  } catch (error) {
    if (error instanceof CallError) return { error: error.name, code: error.code };
    if (error instanceof ProblemError) return { error: error.name, code: error.code, status: error.status };
    throw error;
  }
}

async function given({ clients, trusted, calls }: ScenarioWorld, step: Step): Promise<unknown> {
  switch (step.do) {
    case 'call': {
      const { tool, args, key, wait_ms: waitMs, as } = step;
      const call = await clients.agent.call(tool, args, {
        idempotencyKey: key,
        ...(waitMs === undefined ? {} : { waitMs }),
      });
      calls.set(as, call);
      return { outcome: call.outcome, replayed: call.replayed, ...('code' in call ? { code: call.code } : {}) };
    }
    case 'result':
      return { result: await callIn(calls, step.of).result() };
    case 'cancel':
      return { state: (await callIn(calls, step.of).cancel()).state };
    case 'receipt': {
      const { record } = (await callIn(calls, step.of).receipt()).verify(trusted);
      return { verified: { phase: record.phase, tx_outcome: record.tx_outcome } };
    }
    case 'approve':
    case 'deny': {
      const call = callIn(calls, step.of);
      if (call.outcome !== 'held') throw new Error(`\`${step.of}\` is not held`);
      const { approvals } = clients.operator;
      const approval = await approvals.get(call.approvalId);
      await (step.do === 'approve'
        ? approvals.approve(approval, { comment: step.comment })
        : approvals.deny(approval, { comment: step.comment }));
      return { tool: approval.tool_id, of: approval.of };
    }
    case 'list': {
      const tools: string[] = [];
      for await (const { tool_id } of clients.agent.operations.list({ limit: step.limit })) tools.push(tool_id);
      return { tools };
    }
  }
}

function callIn(calls: ReadonlyMap<string, Call>, name: string): Call {
  const call = calls.get(name);
  if (call === undefined) throw new Error(`no step made the call \`${name}\``);
  return call;
}
