// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { eventually, makeWorld, type Stack, type World } from '@writ/stack';
import { measure, type Load, type Metric } from '../measure.ts';
import { callOver } from './call-client.ts';

type Measured = Omit<Metric, 'reference' | 'ratio'>;

/** One tenant per client, so that clients share the system and no workspace. */
export async function makeWorlds(stack: Stack, count: number): Promise<World[]> {
  const worlds: World[] = [];
  for (let i = 0; i < count; i++)
    worlds.push(await makeWorld(stack.url, stack.keys.platformKey, { files: { 'README.md': '# bench\n' } }));
  return worlds;
}

/** One `fs.write`, until its receipt is in the log. */
export function inlineCalls(worlds: readonly World[], load: Load): Promise<Measured> {
  return measure(load, (client) =>
    callToReceipt(worlds[client] as World, 'fs.write', {
      path: `file-${randomUUID().slice(0, 2)}.txt`,
      content: randomUUID(),
    }),
  );
}

/** One `shell.run` of `true`, until its receipt is in the log. */
export function sandboxedCalls(worlds: readonly World[], load: Load): Promise<Measured> {
  return measure(load, (client) => callToReceipt(worlds[client] as World, 'shell.run', { command: 'true' }));
}

/** Makes a call, and resolves when its receipt is in the log. Rejects unless it succeeds. */
export async function callToReceipt(world: World, toolId: string, args: unknown): Promise<void> {
  const { status, text, body } = await callOver(world, toolId, args);
  if (status !== 200 || body.status !== 'ok') throw new Error(`${toolId} answered ${status}: ${text}`);
  if (body.receipt?.state === 'logged') return;
  const path = `/v1/operations/${body.operation_id as string}/receipt`;
  await eventually('the receipt', async () => (await world.agent.get(path)).status === 200);
}
