// SPDX-License-Identifier: Apache-2.0
// A tenant with the functions of the examples of adapters, and a model.
import { Writ, declarationsOf, type GovernedTools } from '@writ/client';
import { makeWorld, sharedStack, type SharedStack, type World } from '@writ/stack';
import { vi } from 'vitest';
import type { WireServer } from '@writ/testing';
import type { ExampleRun, ExampleWorld, Printed } from './adapter-examples.ts';
import { startAdapterModel } from './adapter-model.ts';

/** The result of a refund, as a model reads it. */
export const RAN = (cents: number): string => JSON.stringify({ refunded: cents });

const HOUR_MS = 3_600_000;
const HELD = { WRIT_MAX_AUTONOMY: 'soft_gate' };

export class AdapterWorld implements ExampleWorld {
  readonly stack: SharedStack;
  readonly world: World;
  readonly token: string;
  readonly model: WireServer;
  readonly person: Writ;

  private constructor(stack: SharedStack, world: World, token: string, model: WireServer) {
    this.stack = stack;
    this.world = world;
    this.token = token;
    this.model = model;
    this.person = new Writ({ url: stack.url, apiKey: world.operator.key });
  }

  static async make(): Promise<AdapterWorld> {
    const stack = await sharedStack();
    const world = await makeWorld(stack.url, stack.keys.platformKey);
    const model = await startAdapterModel();
    const admin = new Writ({ url: stack.url, apiKey: world.admin.key });
    await admin.tools.apply({ functions: declarationsOf(TOOLS) });
    const grant = { fs: [], net: [], secrets: [], budgets: {}, not_before: 0, expires_at: Date.now() + HOUR_MS };
    const made = await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: { ...grant, tools: ['billing.refund'] },
    });
    return new AdapterWorld(stack, world, made['capability_token_id'] as string, model);
  }

  /** Runs an example until it pauses for a held call, and returns the operation. */
  async held(example: ExampleRun, prompt: string): Promise<string> {
    const printed = await example.run(prompt, HELD);
    expect(printed).toEqual({ held: expect.stringMatching(/^op_/) });
    expect(example.effects).toEqual([]);
    return (printed as { held: string }).held;
  }

  resume(example: ExampleRun): Promise<Printed> {
    return example.run('--resume', HELD);
  }

  /** Decides a held call, as a person. */
  async decide(operationId: string, verdict: 'approve' | 'deny'): Promise<void> {
    const { approval_id } = await this.person.operations.get(operationId);
    if (verdict === 'deny') return void (await this.person.approvals.deny(approval_id!, { comment: 'no' }));
    await this.person.approvals.approve(await this.person.approvals.get(approval_id!));
    await vi.waitFor(async () => expect((await this.person.operations.get(operationId)).state).not.toBe('held'), {
      timeout: 30_000,
    });
  }

  end(): Promise<void> {
    return this.model.close();
  }
}

const schemaOf = (name: string, type: string) => ({
  type: 'object',
  properties: { [name]: type === 'integer' ? { type, minimum: 1 } : { type } },
  required: [name],
  additionalProperties: false,
});
const run = (): never => expect.unreachable();

/** As the examples declare them. */
const TOOLS: GovernedTools = {
  refund: { toolId: 'billing.refund', description: 'Refunds.', parameters: schemaOf('cents', 'integer'), run },
  close_account: { toolId: 'billing.close', description: 'Closes.', parameters: schemaOf('customer', 'string'), run },
};
