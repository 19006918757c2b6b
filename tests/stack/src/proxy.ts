// SPDX-License-Identifier: Apache-2.0
import { createServer, connect, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { Transform, type TransformCallback } from 'node:stream';
import type { AddressInfo } from 'node:net';

/** `out`: from the process to the server; `in`: from the server to the process. */
export type Direction = 'in' | 'out';

/**
 * A proxy between one process and a server (the bus, the database). It can hold back one direction, so that a message
 * is sent and its answer never arrives. Neither side has code for tests.
 */
export class Proxy {
  readonly #server: Server;
  readonly #target: { host: string; port: number };
  readonly #held: Record<Direction, boolean> = { in: false, out: false };
  readonly #links = new Set<Link>();
  readonly #silent = new Set<Link>();
  readonly #listeners: ((bytes: Buffer) => void)[] = [];
  #isShut = false;
  #slowMs = 0;

  private constructor(target: { host: string; port: number }) {
    this.#target = target;
    this.#server = createServer((client) => {
      if (this.#isShut) {
        client.destroy();
        return;
      }
      const link = new Link(client, connect(this.#target));
      this.#links.add(link);
      link.onClose(() => this.#links.delete(link));
      link.slow(this.#slowMs);
      for (const direction of ['in', 'out'] as const) if (this.#held[direction]) link.hold(direction);
      for (const ear of this.#listeners) link.tap(ear);
    });
  }

  /** @param listen its port; any free port of loopback by default */
  static async to(target: { host: string; port: number }, listen = { host: '127.0.0.1', port: 0 }): Promise<Proxy> {
    const proxy = new Proxy(target);
    proxy.#server.listen(listen);
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Holds back all bytes in that direction from now on. */
  hold(direction: Direction): void {
    this.#held[direction] = true;
    for (const link of this.#links) link.hold(direction);
  }

  /** Delays each chunk in each direction by so many milliseconds, one after another; 0 forwards at once. */
  slow(ms: number): void {
    this.#slowMs = ms;
    for (const link of this.#links) link.slow(ms);
  }

  /** Passes a copy of all bytes in either direction to the listener, from now on, as they arrive. */
  tap(ear: (bytes: Buffer) => void): void {
    this.#listeners.push(ear);
    for (const link of this.#links) link.tap(ear);
  }

  /**
   * Drops all bytes of the present connections and keeps them open; new connections work. A firewall that lost its
   * state does the same.
   */
  freezeUntilUnassigned(): void {
    for (const link of this.#links) {
      for (const direction of ['in', 'out'] as const) link.hold(direction);
      this.#silent.add(link);
      this.#links.delete(link);
    }
  }

  /** Closes every connection and accepts none, as a server that is down. */
  shut(): void {
    this.cut();
    this.#isShut = true;
  }

  /** Forwards everything again, held bytes first. */
  release(): void {
    this.#isShut = false;
    for (const direction of ['in', 'out'] as const) {
      this.#held[direction] = false;
      for (const link of this.#links) link.release(direction);
    }
  }

  /** Closes every connection with its held bytes, and accepts new ones. */
  cut(): void {
    this.#held.in = false;
    this.#held.out = false;
    for (const link of [...this.#links]) link.destroy();
  }

  async close(): Promise<void> {
    for (const link of [...this.#links, ...this.#silent]) link.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Forwards chunks one after another, each after a delay. */
class Delay extends Transform {
  ms = 0;

  override _transform(piece: Buffer, _encoding: string, done: TransformCallback): void {
    if (this.ms === 0) done(null, piece);
    else setTimeout(() => done(null, piece), this.ms);
  }
}

class Link {
  readonly #client: Socket;
  readonly #upstream: Socket;
  readonly #delays: Readonly<Record<Direction, Delay>> = { in: new Delay(), out: new Delay() };

  constructor(client: Socket, upstream: Socket) {
    this.#client = client;
    this.#upstream = upstream;
    client.setNoDelay(true);
    upstream.setNoDelay(true);
    client.pipe(this.#delays.out).pipe(upstream);
    upstream.pipe(this.#delays.in).pipe(client);
    client.on('error', () => this.destroy()).on('close', () => this.destroy());
    upstream.on('error', () => this.destroy()).on('close', () => this.destroy());
  }

  onClose(listener: () => void): void {
    this.#client.once('close', listener);
  }

  tap(ear: (bytes: Buffer) => void): void {
    this.#client.on('data', ear);
    this.#upstream.on('data', ear);
  }

  hold(direction: Direction): void {
    const from = this.#from(direction);
    from.unpipe(this.#delays[direction]);
    from.pause();
  }

  release(direction: Direction): void {
    const from = this.#from(direction);
    from.unpipe(this.#delays[direction]);
    from.pipe(this.#delays[direction]);
  }

  slow(ms: number): void {
    for (const delay of Object.values(this.#delays)) delay.ms = ms;
  }

  destroy(): void {
    this.#client.destroy();
    this.#upstream.destroy();
  }

  #from(direction: Direction): Socket {
    return direction === 'out' ? this.#client : this.#upstream;
  }
}
