// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

/** A listener on loopback that nothing of an installation may reach. */
export class Listener {
  readonly #server: Server;
  #reached = 0;

  private constructor() {
    this.#server = createServer((socket) => {
      this.#reached += 1;
      socket.on('error', () => undefined).destroy();
    });
  }

  static async open(): Promise<Listener> {
    const listener = new Listener();
    listener.#server.listen(0, '127.0.0.1');
    await once(listener.#server, 'listening');
    return listener;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections so far. */
  get reached(): number {
    return this.#reached;
  }

  close(): void {
    this.#server.close();
  }
}
