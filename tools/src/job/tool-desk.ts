// SPDX-License-Identifier: Apache-2.0
import type { ModelCall, ToolAnswer } from '@writ/agent-loop';
import { ApprovalView, isFinal, OperationView, TOOLS, ToolResult } from '@writ/contract';
import { Type } from 'typebox';
import type { Api } from './api.ts';
import { readTree, type Tree } from './workspace.ts';

/** A call as it went, with the files before and after it. */
export interface Entry {
  readonly call: ModelCall;
  readonly turn: number;
  readonly by: 'model' | 'job';
  /** The same call sent once more, under the same idempotency key. */
  readonly isRepeat: boolean;
  readonly operation: OperationView;
  readonly result: ToolResult;
  /** What a person was shown, when it was held. */
  readonly approval: ApprovalView | null;
  readonly before: Tree;
  readonly after: Tree;
  readonly ms: number;
}

/** On whose behalf and with what the calls are made. */
export interface DeskOptions {
  readonly agent: Api;
  readonly operator: Api;
  readonly workspaceId: string;
  readonly tokenId: string;
  /** Names the run in idempotency keys and in provenance. */
  readonly runId: string;
  readonly model: string;
  readonly say: (line: string) => void;
}

const POLL_MS = 20_000;
/** What a model can use of one answer. */
const ANSWER_CHARS_MAX = 60_000;
const DENIAL = 'the demonstration denies what is destructive';

/** Takes calls to the API, and acts as the operator when one is held: shows what would run, and denies it. */
export class ToolDesk {
  readonly journal: Entry[] = [];
  readonly #options: DeskOptions;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  /** Makes a call and follows it to its end. */
  call(call: ModelCall, turn: number, by: Entry['by']): Promise<Entry> {
    return this.#run({ call, turn, by, isRepeat: false });
  }

  /** Sends a call once more, as a client does that never heard the answer. */
  repeat({ call, turn, by }: Entry): Promise<Entry> {
    return this.#run({ call, turn, by, isRepeat: true });
  }

  async #run(asked: Pick<Entry, 'call' | 'turn' | 'by' | 'isRepeat'>): Promise<Entry> {
    const { operator, workspaceId } = this.#options;
    const before = await readTree(operator, workspaceId);
    const began = performance.now();
    const operationId = await this.#propose(asked);
    const { operation, approval } = await this.#follow(operationId);
    const ms = performance.now() - began;
    if (operation.result === null) throw new Error(`\`${operationId}\` ended as ${operation.state} without a result`);
    const after = await readTree(operator, workspaceId);
    const entry: Entry = { ...asked, operation, result: operation.result, approval, before, after, ms };
    this.journal.push(entry);
    return entry;
  }

  /** Sends a call with its idempotency key; the same arguments send the same call. */
  async #propose({ call, turn, by }: Pick<Entry, 'call' | 'turn' | 'by'>): Promise<string> {
    const { agent, workspaceId, tokenId, runId, model } = this.#options;
    const answer = await agent.ask('/v1/tool-calls', {
      method: 'POST',
      headers: { prefer: 'wait=30' },
      body: {
        tool_id: call.tool_id,
        args: call.args,
        capability_token_id: tokenId,
        workspace_id: workspaceId,
        idempotency_key: `${runId}/${turn}/${call.id}`,
        provenance: { source: 'job', run_id: runId, turn: String(turn), model: by === 'model' ? model : 'none' },
      },
    });
    const { operation_id } = (await answer.json()) as { operation_id: string };
    return operation_id;
  }

  async #follow(operationId: string): Promise<{ operation: OperationView; approval: ApprovalView | null }> {
    let approval: ApprovalView | null = null;
    // The first look doesn't wait: a call that is held would be waited for until somebody decides.
    for (let waitMs = 0; ; waitMs = POLL_MS) {
      const operation = await this.#options.operator.read(
        OperationView,
        `/v1/operations/${operationId}?wait=${waitMs}`,
      );
      if (isFinal(operation.state)) return { operation, approval };
      if (operation.state === 'held' && approval === null) approval = await this.#deny(operationId);
    }
  }

  async #deny(operationId: string): Promise<ApprovalView> {
    const { operator, say } = this.#options;
    const { items } = await operator.read(
      Type.Object({ items: Type.Array(ApprovalView) }),
      '/v1/approvals?state=pending&limit=200',
    );
    const approval = items.find((item) => item.operation_id === operationId);
    if (approval === undefined) throw new Error(`\`${operationId}\` is held, but no approval of it is pending`);
    say(`     held for a person (${approval.reasons.map(({ message }) => message).join('; ')})`);
    say(`     would run: ${JSON.stringify(approval.args)}`);
    await operator.ask(`/v1/approvals/${approval.approval_id}/deny`, { method: 'POST', body: { comment: DENIAL } });
    say('     denied by the operator');
    return approval;
  }
}

/** What the model is told of a call that ended. */
export function answerOf({ result }: Entry): ToolAnswer {
  const { status, tx_outcome, error, reasons } = result;
  const text = JSON.stringify({
    status,
    tx_outcome,
    result: result.result,
    ...(error === null ? {} : { error, reasons }),
  });
  return {
    text: text.slice(0, ANSWER_CHARS_MAX),
    standing: status === 'error' ? 'failed' : 'completed',
    is_error: status === 'error',
  };
}

/** Every tool as models are offered it. */
export const OFFERS = [...TOOLS.values()].map(({ tool_id, description, parameters }) => ({
  tool_id,
  description,
  parameters,
}));
