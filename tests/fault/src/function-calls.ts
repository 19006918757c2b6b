// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import {
  eventually,
  expectConsistent,
  FunctionWorker,
  makeWorld,
  Observer,
  startStack,
  verifiedReceipt,
  type AttemptProof,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';

const CHARGE = { description: 'Charges.', category: 'write', mode: 'pull', parameters: { type: 'object' } };
/** What a worker reports of a call that it ran. */
export const DONE = { outcome: 'succeeded', result: { charge: 'ch-1' } };

/** A stack with a worker of the functions `billing.once` and `billing.again`, of which the second is idempotent. */
export class FunctionCalls {
  readonly stack: Stack;
  readonly world: World;
  readonly worker: FunctionWorker;
  readonly #observer: Observer;
  readonly #token: string;

  private constructor(stack: Stack, world: World, worker: FunctionWorker, token: string) {
    this.stack = stack;
    this.world = world;
    this.worker = worker;
    this.#observer = new Observer(stack);
    this.#token = token;
  }

  /** @param tuning the environment of the kernel */
  static async open(tuning: Readonly<Record<string, string>>): Promise<FunctionCalls> {
    const stack = await startStack({ env: { kernel: tuning }, busProxies: ['kernel', 'orchestrator'] });
    const world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one' } });
    const functions = [
      { ...CHARGE, name: 'billing.once' },
      { ...CHARGE, name: 'billing.again', idempotent: true },
    ];
    expect((await world.admin.request('PUT', '/v1/tools', { functions })).body).toMatchObject({ valid: true });
    const issued = await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['billing.*'],
        fs: [],
        net: [],
        secrets: [],
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
      },
    });
    const worker = await FunctionWorker.create(world, ['billing.*']);
    return new FunctionCalls(stack, world, worker, issued.capability_token_id as string);
  }

  /** Undoes what a test did to the processes. */
  async restore(): Promise<void> {
    await this.#observer.close();
    for (const name of ['kernel', 'orchestrator'] as const) this.stack.busProxy(name).release();
    for (const service of Object.values(this.stack.services)) if (!service.isRunning) await service.start();
  }

  async close(): Promise<void> {
    await this.#observer.close();
    await this.stack.stop();
  }

  async propose(tool: string): Promise<string> {
    const { body } = await this.world.call(tool, { id: randomUUID() }, { capability_token_id: this.#token }, 0);
    return body.operation_id as string;
  }

  /** Proposes a call, which the worker takes and redeems. */
  async begin(tool: string): Promise<{ operation: string; proof: AttemptProof }> {
    const operation = await this.propose(tool);
    const proof = await this.worker.take();
    expect((await this.worker.redeem(proof)).body).toMatchObject({ operation_id: operation });
    return { operation, proof };
  }

  async stateOf(operation: string): Promise<string> {
    const [row] = await this.#observer.rows('SELECT state FROM kernel.operation WHERE operation_id = $1', [operation]);
    return row?.['state'] as string;
  }

  /** Locks a call for another transaction; returns what lets it go. */
  hold(operation: string): Promise<() => Promise<void>> {
    return this.#observer.hold('SELECT 1 FROM kernel.operation WHERE operation_id = $1 FOR UPDATE', [operation]);
  }

  /** Kills the kernel while a statement of its waits for a lock, and undoes that statement. */
  async killBlocked(table: string, begun: () => Promise<unknown>): Promise<void> {
    const letGo = await this.#observer.hold(`LOCK TABLE kernel.${table} IN ACCESS EXCLUSIVE MODE`);
    const lost = begun().catch(() => null);
    await this.#observer.untilBlocked('writ_kernel');
    await this.stack.services.kernel.kill();
    await this.#observer.abort('writ_kernel');
    await letGo();
    await this.stack.services.kernel.start();
    await lost;
  }

  /** Loses the answer of the kernel to one request, which the kernel has carried out. */
  async loseAnswer(begun: () => Promise<unknown>, isDone: () => Promise<boolean>): Promise<void> {
    this.stack.busProxy('orchestrator').hold('in');
    const lost = begun().catch(() => null);
    await eventually('the request to be carried out', isDone);
    this.stack.busProxy('orchestrator').cut();
    await lost;
  }

  async expectCommitted(operation: string, attempt: number): Promise<void> {
    const { stack, world } = this;
    await expectConsistent(stack, world, this.#observer, operation, { tx_outcome: 'committed', attempt });
    const { record } = await verifiedReceipt(stack, world, operation);
    expect(record).toMatchObject({ execution: { contained: false, result: 'claimed', executor: this.worker.keyId } });
  }

  async expectAmbiguous(operation: string, attempt: number): Promise<void> {
    const { stack, world } = this;
    await expectConsistent(stack, world, this.#observer, operation, { tx_outcome: 'ambiguous', attempt });
    const { body } = await world.admin.get(`/v1/operations/${operation}`);
    expect(body).toMatchObject({ result: { error: { code: 'effect.ambiguous' } } });
    // Whoever may have acted can't take it again.
    expect((await this.worker.api.post('/v1/permits/next', {})).body).toEqual({ permit: null });
  }
}

/** Sends a request again until it is answered by other than a fault of the way to the kernel. */
export const insist = (what: string, send: () => Promise<{ status: number; body: JsonValue }>): Promise<JsonValue> =>
  eventually(what, async () => {
    const { status, body } = await send().catch(() => ({ status: 0, body: null }));
    return status === 0 || status >= 500 ? null : body;
  });
