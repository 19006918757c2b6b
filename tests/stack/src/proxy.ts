// SPDX-License-Identifier: Apache-2.0
import { createServer, connect, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { Transform, type TransformCallback } from 'node:stream';
import type { AddressInfo } from 'node:net';

/** `out`: from the process to the server behind; `in`: from the server to the process. */
export type Direction = 'in' | 'out';

/**
 * Stands between one process and a server (the bus, the database) and holds back what passes in one direction, so that
 * a message is sent and its answer never arrives, without either side knowing anything of tests.
 */
export class Proxy {
  readonly #server: Server;
  readonly #target: { host: string; port: number };
  readonly #held: Record<Direction, boolean> = { in: false, out: false };
  readonly #links = new Set<Link>();
  readonly #silent = new Set<Link>();
  readonly #ears: ((bytes: Buffer) => void)[] = [];
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
      for (const ear of this.#ears) link.overhear(ear);
    });
  }

  /** @param listen where it listens: any free port of loopback where nothing is given */
  static async to(target: { host: string; port: number }, listen = { host: '127.0.0.1', port: 0 }): Promise<Proxy> {
    const proxy = new Proxy(target);
    proxy.#server.listen(listen);
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** From now on nothing passes in that direction; bytes wait. */
  hold(direction: Direction): void {
    this.#held[direction] = true;
    for (const link of this.#links) link.hold(direction);
  }

  /** From now on whatever passes takes so long in each direction, one piece after another; 0 is as fast as it goes. */
  slow(ms: number): void {
    this.#slowMs = ms;
    for (const link of this.#links) link.slow(ms);
  }

  /** Hands on all that passes in either direction, from now on, as it comes. */
  overhear(ear: (bytes: Buffer) => void): void {
    this.#ears.push(ear);
    for (const link of this.#links) link.overhear(ear);
  }

  /**
   * Nothing passes any more over the connections that are there, and they stay open; new ones work. As after a fire
   * wall has forgotten them.
   */
  silence(): void {
    for (const link of this.#links) {
      for (const direction of ['in', 'out'] as const) link.hold(direction);
      this.#silent.add(link);
      this.#links.delete(link);
    }
  }

  /** Drops every connection and lets none in, as a server that is gone. */
  shut(): void {
    this.cut();
    this.#isShut = true;
  }

  /** Lets everything pass again, what waited first. */
  release(): void {
    this.#isShut = false;
    for (const direction of ['in', 'out'] as const) {
      this.#held[direction] = false;
      for (const link of this.#links) link.release(direction);
    }
  }

  /** Drops every connection with whatever waits in it, and lets new ones pass. */
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

/** Lets pieces through one after another, each after so long. */
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

  overhear(ear: (bytes: Buffer) => void): void {
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
