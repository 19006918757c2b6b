// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { ClusterNode } from '../../cluster/node.ts';

/** A port of the node that leads to an address of the cluster. */
export interface Relay {
  /** `10.213.0.2:40123` */
  readonly address: string;
  readonly close: () => Promise<void>;
}

/** The line that `socat` prints when it listens. */
const LISTENING = /listening on AF=\d+ (\S+:\d+)$/;

/**
 * Opens a port of the node that this machine reaches. Its connections are independent: `kubectl port-forward` ends with
 * the first reset one, and Postgres resets some connections that a client ends over TLS.
 *
 * @param to an address of a service or a pod, with its port
 */
export const openRelay = async ({ enter, nodeIp }: ClusterNode, to: string): Promise<Relay> => {
  const [program = '', ...rest] = [...enter, 'socat', '-d', '-d', `TCP-LISTEN:0,bind=${nodeIp},fork`, `TCP:${to}`];
  const child = spawn(program, rest, { stdio: ['ignore', 'ignore', 'pipe'], cwd: '/' });
  const stop = (): boolean => child.kill('SIGTERM');
  process.once('exit', stop);
  const ended = once(child, 'close').finally(() => process.removeListener('exit', stop));
  const output: string[] = [];
  const address = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      const found = LISTENING.exec(line)?.[1];
      if (found !== undefined) resolve(found);
      // Each connection prints more.
      else if (output.length < 20) output.push(line);
    });
    ended.then(() => reject(new Error(`no relay to ${to}:\n${output.join('\n')}`)), reject);
  });
  return {
    address,
    close: async () => {
      stop();
      await ended;
    },
  };
};
