// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between the sandbox and the engine, so that the engine can go away for one test and stay for the others. */
export class Door {
  readonly path: string;
  readonly #upstream: string;
  readonly #sockets = new Set<Socket>();
  readonly #unheard = new Set<Socket>();
  #isSilent = false;
  #server: Server | null = null;

  constructor(path: string, upstream: string) {
    this.path = path;
    this.#upstream = upstream;
  }

  async open(): Promise<void> {
    this.#server = createServer((client) => {
      if (this.#isSilent) {
        this.#unheard.add(client);
        client.on('error', () => undefined).on('close', () => this.#unheard.delete(client));
        return;
      }
      const engine = connect(this.#upstream);
      for (const [from, to] of [
        [client, engine],
        [engine, client],
      ] as const) {
        this.#sockets.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
      }
      client.pipe(engine).pipe(client);
    }).listen(this.path);
    await once(this.#server, 'listening');
  }

  /** As when the engine hangs: what is asked from now on is taken and never answered. */
  fallSilent(): void {
    this.#isSilent = true;
    // Connections that are kept open are answered as little.
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** As when somebody restarts it: what nobody answered is broken off. */
  speak(): void {
    this.#isSilent = false;
    for (const socket of [...this.#unheard, ...this.#sockets]) socket.destroy();
  }

  /** As when the engine dies: every connection breaks, and no new one is taken. */
  async shut(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/**
 * Nothing is closed to root, so what is to be denied is asked as another user. Only what `run` does at once is: a door
 * of this process must still reach its engine.
 */
export function asNobody<T>(run: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return run();
  process.seteuid?.(65_534);
  try {
    return run();
  } finally {
    process.seteuid?.(0);
  }
}
