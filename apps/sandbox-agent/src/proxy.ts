// SPDX-License-Identifier: Apache-2.0
import { createServer, type AddressInfo, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { Channels, type ChannelMessage, type HostChannelMessage } from '@writ/sandbox';

/** The proxy variables in all spellings that programs read. The proxy speaks HTTP for every scheme. */
const proxyVariables = (url: string): Record<string, string> => ({
  http_proxy: url,
  https_proxy: url,
  HTTP_PROXY: url,
  HTTPS_PROXY: url,
  no_proxy: 'localhost,127.0.0.1,::1',
  NO_PROXY: 'localhost,127.0.0.1,::1',
  // Node's own `fetch` reads the others only with this variable.
  NODE_USE_ENV_PROXY: '1',
});

/**
 * The proxy of a job or a shell: a port on the container's loopback, where each connection becomes a channel to the
 * executor. It reads nothing of what passes: the gate decides outside, where the job can't change how a request is
 * read. A job's proxy accepts connections until it closes, a shell's only while a turn runs.
 */
export class Proxy {
  readonly #send: (message: ChannelMessage) => void;
  readonly #server: Server;
  /** null while no connection is accepted */
  #channels: Channels | null = null;

  /** Opens the proxy; resolves when it listens. It accepts connections from `begin` on. */
  static async open(send: (message: ChannelMessage) => void): Promise<Proxy> {
    const proxy = new Proxy(send);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  private constructor(send: (message: ChannelMessage) => void) {
    this.#send = send;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      const channel = this.#channels?.open() ?? null;
      // Nothing may leave now, or there are too many connections: programs retry, and a flood costs only the job.
      if (channel === null) socket.destroy();
      else join(socket, channel);
    });
  }

  /** The variables by which the job's programs find the proxy. */
  get env(): Readonly<Record<string, string>> {
    return proxyVariables(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
  }

  /** Accepts connections from now on. Their channels have nothing to do with those before `cut`. */
  begin(): void {
    this.#channels = new Channels({ send: this.#send });
  }

  /** Opens a channel of the agent's own; null where there may be no more. Only after `begin`. */
  connect(): Duplex | null {
    return this.#channels?.open() ?? null;
  }

  /** Closes the open connections, and each further one at once; sends nothing until `begin`. */
  cut(): void {
    this.#channels?.close();
    this.#channels = null;
  }

  /** Ignores a message about a connection that is closed here, which was in transit meanwhile. */
  handle(message: HostChannelMessage): void {
    this.#channels?.receive(message);
  }

  /** Closes its port and all connections; sends nothing any more. */
  close(): void {
    this.#server.close();
    this.cut();
  }
}

/** Connects two streams: each one's end is passed to the other, and if one breaks, so does the other. */
function join(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => to.writableFinished || to.destroy());
  }
}
