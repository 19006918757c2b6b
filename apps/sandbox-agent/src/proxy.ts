// SPDX-License-Identifier: Apache-2.0
import { createServer, type AddressInfo, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { Channels, type ChannelMessage, type HostChannelMessage } from '@writ/sandbox';

/**
 * What programs look for, in the spellings that they look for it in. The proxy speaks HTTP, whatever it is asked to
 * fetch.
 */
const namesOf = (url: string): Record<string, string> => ({
  http_proxy: url,
  https_proxy: url,
  HTTP_PROXY: url,
  HTTPS_PROXY: url,
  no_proxy: 'localhost,127.0.0.1,::1',
  NO_PROXY: 'localhost,127.0.0.1,::1',
  // Node's own `fetch` looks at the others only when it is told to.
  NODE_USE_ENV_PROXY: '1',
});

/**
 * The job's way out: a port on the container's loopback, each connection to which is a channel to the executor. It
 * reads nothing of what passes: whoever decides is outside, where the job can't change how a request is read.
 */
export class Proxy {
  readonly #channels: Channels;
  readonly #server: Server;

  /** Resolves when it listens. */
  static async open(send: (message: ChannelMessage) => void): Promise<Proxy> {
    const proxy = new Proxy(send);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  private constructor(send: (message: ChannelMessage) => void) {
    this.#channels = new Channels({ send });
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      const channel = this.#channels.open();
      // Too many at once: programs try again, and a flood costs nobody but the job.
      if (channel === null) socket.destroy();
      else join(socket, channel);
    });
  }

  /** Variables by which the job's programs find it. */
  get env(): Readonly<Record<string, string>> {
    return namesOf(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
  }

  take(message: HostChannelMessage): void {
    this.#channels.take(message);
  }

  /** Takes no more connections and breaks those that there are; nothing is sent any more. */
  close(): void {
    this.#server.close();
    this.#channels.close();
  }
}

/** Each end of one is passed to the other; where one breaks, so does the other. */
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
