// SPDX-License-Identifier: Apache-2.0
// A worker program whose tasks do what tasks must not do, for the spec of the pool.
import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { Fault } from '@writ/contract';
import { serveTasks } from '../thread.ts';

const kept: string[] = [];

export const hostileTasks = {
  echo: ({ text }: { readonly text: string }) => ({ text }),
  sleep: async ({ ms }: { readonly ms: number }) => {
    await new Promise((resolve) => {
      setTimeout(resolve, ms);
    });
    return 'slept' as const;
  },
  loop: (_: object): never => {
    for (;;) {
      /* until it is ended */
    }
  },
  allocate: (_: object): never => {
    const lists: number[][] = [];
    for (;;) lists.push(Array.from({ length: 1_000 }, (__, n) => n + lists.length));
  },
  exit: (_: object) => process.exit(3),
  crash: async (_: object) => {
    setTimeout(() => {
      throw new Error('out of the blue');
    }, 0);
    await new Promise((resolve) => {
      setTimeout(resolve, 60_000);
    });
  },
  recurse: (_: object): number => {
    const deeper = (n: number): number => deeper(n + 1) + 1;
    return deeper(0);
  },
  refuse: (_: object): never => {
    const fault = new Fault('edit.no_match', 'the text is not there', { pointer: '/find' });
    throw Object.assign(fault, { hint: 'read the file first' });
  },
  fail: (_: object): never => {
    throw new TypeError('a bug');
  },
  converse: async ({ port }: { readonly port: MessagePort }) => {
    const answer = once(port, 'message');
    port.postMessage('ready');
    const [message] = (await answer) as [string];
    port.close();
    return message;
  },
  surroundings: (_: object) => ({ env: Object.keys(process.env), kept: kept.length }),
};
export type HostileTasks = typeof hostileTasks;

export default serveTasks(hostileTasks);
