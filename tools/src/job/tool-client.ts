// SPDX-License-Identifier: Apache-2.0
import type { ModelCall, ToolAnswer } from '@writ/agent-loop';
import { ApprovalView, isFinal, OperationView, TOOLS, ToolResult } from '@writ/contract';
import { Type } from 'typebox';
import type { Api } from './api.ts';
import { readTree, type Tree } from './workspace.ts';

/** A call and its result, with the files before and after it. */
export interface Entry {
  readonly call: ModelCall;
  readonly turn: number;
  readonly by: 'model' | 'job';
  /** The same call sent again, with the same idempotency key. */
  readonly isRepeat: boolean;
  readonly operation: OperationView;
  readonly result: ToolResult;
  /** What the approver was shown, when it was held. */
  readonly approval: ApprovalView | null;
  readonly before: Tree;
  readonly after: Tree;
  readonly ms: number;
}

/** The credentials and context of the calls. */
export interface ToolClientOptions {
  readonly agent: Api;
  readonly operator: Api;
  readonly workspaceId: string;
  readonly tokenId: string;
  /** An id of the run, for idempotency keys. */
  readonly runId: string;
  readonly model: string;
  readonly print: (line: string) => void;
}

const POLL_MS = 20_000;
/** The part of an answer for a model. */
const ANSWER_CHARS_MAX = 60_000;
const DENIAL = 'the demonstration denies what is destructive';

/** Makes calls at the API. When one is held, it acts as the operator: it shows the call, and denies it. */
export class ToolClient {
  readonly journal: Entry[] = [];
  readonly #options: ToolClientOptions;

  constructor(options: ToolClientOptions) {
    this.#options = options;
  }

  /** Makes a call and waits for its end. */
  call(call: ModelCall, turn: number, by: Entry['by']): Promise<Entry> {
    return this.#run({ call, turn, by, isRepeat: false });
  }

  /** Sends a call again, as a client does that got no answer. */
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
        provenance: { client: 'job', turn: String(turn), claimed_model: by === 'model' ? model : 'none' },
      },
    });
    const { operation_id } = (await answer.json()) as { operation_id: string };
    return operation_id;
  }

  async #follow(operationId: string): Promise<{ operation: OperationView; approval: ApprovalView | null }> {
    let approval: ApprovalView | null = null;
    // The first request doesn't wait, so that a held call is noticed at once.
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
    const { operator, print } = this.#options;
    const { items } = await operator.read(
      Type.Object({ items: Type.Array(ApprovalView) }),
      '/v1/approvals?state=pending&limit=200',
    );
    const approval = items.find((item) => item.operation_id === operationId);
    if (approval === undefined) throw new Error(`\`${operationId}\` is held, but no approval of it is pending`);
    print(`     held for a person (${approval.reasons.map(({ message }) => message).join('; ')})`);
    print(`     would run: ${JSON.stringify(approval.args)}`);
    await operator.ask(`/v1/approvals/${approval.approval_id}/deny`, { method: 'POST', body: { comment: DENIAL } });
    print('     denied by the operator');
    return approval;
  }
}

/** The text for the model about an ended call. */
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

/** Every tool, as models are offered it. */
export const OFFERS = [...TOOLS.values()].map(({ tool_id, description, parameters }) => ({
  tool_id,
  description,
  parameters,
}));
