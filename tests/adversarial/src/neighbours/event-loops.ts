// SPDX-License-Identifier: Apache-2.0
import type { Stack } from '@writ/stack';

/**
 * What held up the event loop of a process at most since this was last asked, in milliseconds: infinite where it
 * doesn't answer, NaN where it doesn't say it.
 */
export interface LoopFigures {
  /** processor time that the loop used at once: what a hostile input can cause */
  readonly workMs: number;
  /** how long others waited for the loop, or the loop for a processor: on a busy machine that is the machine's */
  readonly delayMs: number;
}

/** The figures of each process. */
export async function eventLoops(stack: Stack): Promise<Record<string, LoopFigures>> {
  const figures = Object.entries(stack.services).map(
    async ([name, service]) => [name, await figuresOf(service.env['WRIT_OPS_PORT'] ?? '')] as const,
  );
  return Object.fromEntries(await Promise.all(figures));
}

/**
 * A process that doesn't answer by then does nothing else. Much shorter it would be told of a machine that has much
 * else to do: what a loop computes at once is in the answer, however late that comes.
 */
const ANSWER_MS = 30_000;

async function figuresOf(port: string): Promise<LoopFigures> {
  const text = await metricsOf(port);
  if (text === null) return { workMs: Number.POSITIVE_INFINITY, delayMs: Number.POSITIVE_INFINITY };
  const longest = (metric: string): number => {
    const line = text.split('\n').find((each) => each.startsWith(`${metric} `));
    return line === undefined ? Number.NaN : Number(line.split(' ').at(-1)) * 1_000;
  };
  return {
    workMs: longest('writ_event_loop_work_max_seconds'),
    delayMs: longest('nodejs_eventloop_delay_max_seconds'),
  };
}

/** Null where nobody answers: the process is gone, or it does nothing else. */
async function metricsOf(port: string): Promise<string | null> {
  try {
    return await (await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(ANSWER_MS) })).text();
  } catch {
    return null;
  }
}
