// SPDX-License-Identifier: Apache-2.0
import { createServer, type AddressInfo } from 'node:net';

/** Whether a port of the loopback interface is free at this moment. */
export const isFree = async (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

const hold = async (): Promise<{ port: number; free: () => Promise<void> }> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      resolve({
        port,
        free: () =>
          new Promise((freed) => {
            probe.close(() => freed());
          }),
      });
    });
  });

/**
 * Different unused ports of the loopback interface. Another process may take one first: then the caller tries again.
 */
export const freePorts = async (count: number): Promise<number[]> => {
  const held = await Promise.all(Array.from({ length: count }, hold));
  await Promise.all(held.map(({ free }) => free()));
  return held.map(({ port }) => port);
};

/** One such port. */
export const freePort = async (): Promise<number> => {
  const { port, free } = await hold();
  await free();
  return port;
};

/** Ports to try before giving up. */
const NEIGHBOURS = 100;

/** The wanted port, or the next free one above it. */
export const nextFreePort = async (wanted: number): Promise<number> => {
  for (let port = wanted; port < Math.min(wanted + NEIGHBOURS, 65_536); port += 1) if (await isFree(port)) return port;
  return freePort();
};
