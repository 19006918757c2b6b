// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type JsonValue, type World } from '@writ/stack';

/** A client gives up on a call after so long: many times what it takes to lose two executors. */
const CALL_MS_MAX = 120_000;
/**
 * Said by an API that has no end for the caller yet, or can't take the call now: to be asked again with the same key.
 */
const AGAIN: ReadonlySet<number> = new Set([202, 429, 502, 503, 504]);

interface Kind {
  readonly toolId: 'shell.run' | 'fs.write' | 'fs.read';
  readonly args: (index: number) => Readonly<Record<string, unknown>>;
  readonly outcome: 'committed' | 'no_op' | 'rolled_back';
}

/** A call that ended, as its client saw it. */
export interface Ended {
  readonly index: number;
  readonly expected: Kind['outcome'];
  readonly outcome: string;
  readonly operationId: string;
  readonly code: string | null;
  readonly ms: number;
}

/**
 * So many calls later a file is written again: the workspace stops growing, so what still grows is a leak. Long after
 * the call before has ended, and of the same kind.
 */
const FILES = 280;

/** Where the call of that number writes; null for one that doesn't. */
export const fileOf = (index: number): string | null =>
  kindOf(index).outcome === 'committed' ? `d${index % 10}/${index % FILES}.txt` : null;

const shell = (command: (index: number) => string, outcome: Kind['outcome'] = 'committed'): Kind => ({
  toolId: 'shell.run',
  args: (index) => ({ command: command(index) }),
  outcome,
});
const WRITE: Kind = {
  toolId: 'fs.write',
  args: (index) => ({ path: fileOf(index), content: `${index}\n` }),
  outcome: 'committed',
};
const READ: Kind = { toolId: 'fs.read', args: () => ({ path: 'a.txt' }), outcome: 'no_op' };
const QUICK = shell((index) => `echo ${index} > ${fileOf(index) ?? ''}`);
/** Long enough that an executor dies under it. */
const LONG = shell((index) => `sleep 2; echo ${index} > ${fileOf(index) ?? ''}`);
const FAILING = shell(() => 'echo half > half.txt; exit 3', 'rolled_back');
/** Much in memory, much said, and processes left behind. */
const HEAVY = shell(
  () => 'head -c 30M /dev/zero > /tmp/much; (setsid sleep 100 &); head -c 300000 /dev/zero | tr "\\0" x',
  'no_op',
);

const KINDS: readonly Kind[] = [
  QUICK,
  LONG,
  READ,
  QUICK,
  WRITE,
  QUICK,
  HEAVY,
  QUICK,
  QUICK,
  WRITE,
  LONG,
  QUICK,
  FAILING,
  READ,
];
const kindOf = (index: number): Kind => KINDS[index % KINDS.length] as Kind;

/**
 * Asks with one key until there is an end, as a client that only knows its key. Rejects where there is none in time, or
 * an answer that is neither.
 */
async function callToItsEnd(world: World, index: number): Promise<Ended> {
  const { toolId, args, outcome: expected } = kindOf(index);
  const key = randomUUID();
  const began = performance.now();
  const body = await eventually<JsonValue>(
    `the end of call ${index}`,
    async () => {
      const answer = await world.call(toolId, args(index), { idempotency_key: key }, 10_000).catch(() => null);
      if (answer === null || AGAIN.has(answer.status)) return null;
      if (answer.status !== 200) throw new Error(`call ${index} was answered ${answer.status}: ${answer.text}`);
      return answer.body;
    },
    CALL_MS_MAX,
  );
  const { tx_outcome, operation_id, error } = body;
  return {
    index,
    expected,
    outcome: tx_outcome as string,
    operationId: operation_id as string,
    code: (error?.code ?? null) as string | null,
    ms: Math.round(performance.now() - began),
  };
}

/** So many calls at an even rate, whatever becomes of those before; resolves with all of their ends. */
export async function load(world: World, calls: number, perSecond: number): Promise<readonly Ended[]> {
  const began = performance.now();
  const ends: Promise<Ended>[] = [];
  for (let index = 0; index < calls; index += 1) {
    await sleep(Math.max(0, began + index * (1_000 / perSecond) - performance.now()));
    const end = callToItsEnd(world, index);
    // Awaited with the others: until then it is nobody's.
    end.catch(() => undefined);
    ends.push(end);
  }
  return await Promise.all(ends);
}
