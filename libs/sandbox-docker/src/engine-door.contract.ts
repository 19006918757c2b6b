// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy between the sandbox and the engine. One test can make the engine unreachable while others keep it. */
export class Door {
  readonly path: string;
  readonly #upstream: string;
  readonly #sockets = new Set<Socket>();
  readonly #unanswered = new Set<Socket>();
  #isSilent = false;
  #server: Server | null = null;

  constructor(path: string, upstream: string) {
    this.path = path;
    this.#upstream = upstream;
  }

  async open(): Promise<void> {
    this.#server = createServer((client) => {
      if (this.#isSilent) {
        this.#unanswered.add(client);
        client.on('error', () => undefined).on('close', () => this.#unanswered.delete(client));
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

  /** Simulates an engine that hangs: requests are accepted and never answered. */
  fallSilent(): void {
    this.#isSilent = true;
    // Kept-alive connections get no answers either.
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** Simulates a restart: unanswered requests are broken off. */
  resume(): void {
    this.#isSilent = false;
    for (const socket of [...this.#unanswered, ...this.#sockets]) socket.destroy();
  }

  /** Simulates a dead engine: every connection breaks, and no new one is accepted. */
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
 * Runs `run` as another user, since root is denied nothing. Only the synchronous part of `run` has that user: a proxy
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
