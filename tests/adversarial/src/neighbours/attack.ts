// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, JsonValue, Stack } from '@writ/stack';
import { eventLoops, type LoopFigures } from './event-loops.ts';
import type { HostileInput } from './hostile-input.ts';
import type { HostileTenant } from './hostile-tenant.ts';
import type { Span } from './reader.ts';

/** Parallel sends of one input: more than there are processors. */
export const AT_ONCE = 4;
/** Each input stays active at least this long, so that two calls of the other tenant fall into it. */
const SLICE_MS_MIN = 450;

/** Observations while one input was sent. */
export interface Observation {
  readonly name: string;
  /** status of each answer, with the code of its problem or result */
  readonly answers: string[];
  /** the longest answer, in milliseconds; null while one is missing */
  ms: number | null;
  /** when it was active, as far as the attack waited for it */
  readonly span: Span;
  /** the longest block of each process's event loop meanwhile */
  readonly loops: Readonly<Record<string, LoopFigures>>;
}

/** Sends each input several times in parallel, one input after another, and observes the processes. */
export class Attack {
  readonly seen: Observation[] = [];
  readonly #stack: Stack;
  readonly #tenant: HostileTenant;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(stack: Stack, tenant: HostileTenant) {
    this.#stack = stack;
    this.#tenant = tenant;
  }

  /**
   * Sends all inputs within that many milliseconds, each with an equal share of the remaining time. The first round
   * skips none unless it takes twice the time; later rounds stop when the time is over.
   */
  async round(inputs: readonly HostileInput[], round: number, withinMs: number): Promise<void> {
    const until = performance.now() + withinMs;
    for (const [index, input] of inputs.entries()) {
      const share = (until - performance.now()) / (inputs.length - index);
      if (performance.now() > (round === 0 ? until + withinMs : until)) return;
      await this.#one(input, round * AT_ONCE, Math.max(SLICE_MS_MIN, share));
    }
  }

  /**
   * Sends one input again, alone, and returns the event loops' blocks meanwhile. An input that blocks a loop does so
   * each time; other load of the machine does so once.
   */
  async again(input: HostileInput, round: number): Promise<Observation['loops']> {
    await eventLoops(this.#stack);
    await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => input.send(this.#tenant, round * AT_ONCE + n)));
    return await eventLoops(this.#stack);
  }

  /** Resolves when everything is answered, or after that many milliseconds. */
  async settled(withinMs: number): Promise<void> {
    await Promise.race([Promise.all(this.#underWay), sleep(withinMs)]);
  }

  async #one(input: HostileInput, round: number, shareMs: number): Promise<void> {
    const from = Date.now();
    const answers: string[] = [];
    const sendings = Array.from({ length: AT_ONCE }, async (_, n) => {
      answers.push(wordOf(await input.send(this.#tenant, round + n).catch((error: unknown) => error as Error)));
    });
    const all = Promise.all(sendings).then(() => Date.now() - from);
    this.#underWay.add(all);
    const [ms] = await Promise.all([Promise.race([all, sleep(shareMs, null)]), sleep(SLICE_MS_MIN)]);
    const loops = await eventLoops(this.#stack);
    const seen: Observation = { name: input.name, answers, ms, span: { from, to: Date.now() }, loops };
    this.seen.push(seen);
    void all.then((took) => {
      seen.ms = took;
    });
  }
}

/** A short label of an answer: the status and its code. */
function wordOf(answer: Answer<JsonValue> | Error): string {
  if (answer instanceof Error) return `error: ${answer.message} ${String(answer.cause ?? '')}`.trim();
  const { status, body } = answer;
  return [status, body?.code ?? body?.error?.code ?? body?.state ?? body?.status]
    .filter((word) => typeof word === 'string' || typeof word === 'number')
    .join(' ');
}
