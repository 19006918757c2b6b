// SPDX-License-Identifier: Apache-2.0
import { connect, createServer, type Server } from 'node:net';

/** The holder of a state directory. */
export interface Holder {
  readonly pid: number;
  /** `start`, `test`, `parts`; or `watchdog` during its clean-up. */
  readonly role: string;
}

/** Released by closing it, or by the kernel when the process ends in any way. */
export interface Lock {
  readonly release: () => void;
}

const ASK_MS = 1_000;

/**
 * A socket in Linux's abstract namespace: binding it is atomic, a killed holder loses it at once, and no file can be
 * left behind. It sends each client its holder's identity.
 */
const addressOf = (stateId: string): string => `\0writ-state-${stateId}`;

const listen = async (address: string, holder: Holder): Promise<Server | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end(JSON.stringify(holder));
    });
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(address, () => {
      server.unref();
      resolve(server);
    });
  });

/** The holder of the state directory; undefined when there is none, or it ended during the query. */
export const askHolder = async (stateId: string): Promise<Holder | undefined> =>
  new Promise((resolve) => {
    let text = '';
    const socket = connect({ path: addressOf(stateId) });
    socket.setTimeout(ASK_MS, () => socket.destroy());
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      try {
        resolve(JSON.parse(text) as Holder);
      } catch {
        resolve(undefined);
      }
    });
  });

/** Takes the lock of a state directory, or returns its holder. */
export const takeLock = async (stateId: string, role: string): Promise<Lock | Holder> => {
  for (;;) {
    const server = await listen(addressOf(stateId), { pid: process.pid, role });
    if (server !== undefined)
      return {
        release: () => {
          server.close();
        },
      };
    const holder = await askHolder(stateId);
    if (holder !== undefined) return holder;
  }
};
