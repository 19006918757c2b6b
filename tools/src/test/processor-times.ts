// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';

/** Time of all processors of the machine together since its start, in ticks. */
export interface ProcessorTimes {
  readonly busy: number;
  readonly all: number;
}

/** The first line of /proc/stat by proc(5): after its name user, nice, system, idle, iowait, irq, softirq and steal. */
export const parseProcessorTimes = (text: string): ProcessorTimes => {
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, soft = 0, stolen = 0] =
    text.split('\n')[0]?.split(/\s+/).slice(1).map(Number) ?? [];
  const busy = user + nice + system + irq + soft + stolen;
  return { busy, all: busy + idle + waiting };
};

export const processorTimes = (): ProcessorTimes => parseProcessorTimes(readFileSync('/proc/stat', 'utf8'));

/** The busy share of the processors between two samples, from 0 to 1. */
export const busyShare = (before: ProcessorTimes, after: ProcessorTimes): number =>
  after.all === before.all ? 0 : (after.busy - before.busy) / (after.all - before.all);
