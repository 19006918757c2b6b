// SPDX-License-Identifier: Apache-2.0
import { createServer } from 'node:net';

/** Whether a port of the loopback interface is free at this moment. */
export const isFree = async (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

/** A port of the loopback interface that nobody uses at this moment. Another process may take it first: the caller tries again. */
export const freePort = async (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (address !== null && typeof address === 'object' ? resolve(address.port) : reject(new Error('no address'))));
    });
  });

/** The first free port at or above the wanted one. */
export const nextFreePort = async (wanted: number): Promise<number> => {
  for (let port = wanted; port < 65_536; port += 1) if (await isFree(port)) return port;
  return freePort();
};
