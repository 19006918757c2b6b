// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type JsonValue, type World } from '@writ/stack';

/** Longest wait of a client for a call: many times what a call takes that loses two executors. */
const CALL_MS_MAX = 120_000;
/** Answers that mean no end yet, or overload: the client repeats the request with the same key. */
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
 * Number of files: every 280th call writes the same file again, of the same kind and long after the earlier one. The
 * workspace stops growing, so that further growth is a leak.
 */
const FILES = 280;

/** The file that the call with that number writes; null where it writes none. */
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
/** Long enough that an executor dies during it. */
const LONG = shell((index) => `sleep 2; echo ${index} > ${fileOf(index) ?? ''}`);
const FAILING = shell(() => 'echo half > half.txt; exit 3', 'rolled_back');
/** Much memory, much output, and background processes. */
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
 * Repeats the call with one key until it has ended, as a client that only knows its key. Rejects for an end that comes
 * too late, and for any other answer.
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

/** That many calls at an even rate, whatever happens to earlier ones; resolves with all of their ends. */
export async function load(world: World, calls: number, perSecond: number): Promise<readonly Ended[]> {
  const began = performance.now();
  const ends: Promise<Ended>[] = [];
  for (let index = 0; index < calls; index += 1) {
    await sleep(Math.max(0, began + index * (1_000 / perSecond) - performance.now()));
    const end = callToItsEnd(world, index);
    // Awaited with the others; this handler prevents an unhandled rejection before.
    end.catch(() => undefined);
    ends.push(end);
  }
  return await Promise.all(ends);
}
