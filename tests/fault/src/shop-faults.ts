// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { eventually, expectConsistent, HttpShop, Observer, verifiedReceipt, type JsonValue } from '@writ/stack';

const PORT = 8443;
const DOCUMENT = `
openapi: 3.1.0
info: {title: Shop, version: '1'}
servers: [{url: 'https://api.outside.example:${PORT}/v1'}]
paths:
  /orders:
    get: {operationId: listOrders, responses: {}}
    post:
      operationId: createOrder
      requestBody: {required: true, content: {application/json: {schema: {type: object}}}}
      responses: {}
`;
export const ORDER = { body: { amount: 5 } };

/** An HTTP API behind an entrance that can be shut: a connection then waits before its TLS begins. */
export class ShopFaults {
  readonly shop: HttpShop;
  readonly observer: Observer;
  readonly #entrance: Entrance;

  private constructor(shop: HttpShop, entrance: Entrance) {
    this.shop = shop;
    this.#entrance = entrance;
    this.observer = new Observer(shop.stack);
  }

  static async open(): Promise<ShopFaults> {
    const entrance = await Entrance.open();
    const shop = await HttpShop.open({
      document: DOCUMENT,
      secrets: {},
      port: PORT,
      others: { [PORT]: entrance.port },
      stack: { env: { kernel: { WRIT_LEASE_MS: '3000', WRIT_SWEEP_MS: '200' } }, busProxies: ['executor'] },
    });
    const { 443: secure } = JSON.parse(shop.internet.env['WRIT_TEST_OUTSIDE']!) as Record<number, number>;
    entrance.leadTo(secure!);
    return new ShopFaults(shop, entrance);
  }

  /** Undoes what a test did to the processes and the API. */
  async restore(): Promise<void> {
    await this.observer.close();
    this.#entrance.unlock();
    this.shop.received = [];
    this.shop.stack.busProxy('executor').release();
    for (const service of Object.values(this.shop.stack.services)) {
      service.thaw();
      if (!service.isRunning) await service.start();
    }
  }

  async close(): Promise<void> {
    await this.observer.close();
    this.#entrance.close();
    await this.shop.close();
  }

  /** Lets no connection in; resolves with what waits until one is there. */
  shut(): { readonly untilKnocked: () => Promise<unknown> } {
    this.#entrance.shut();
    return { untilKnocked: () => eventually('a connection', () => Promise.resolve(this.#entrance.isKnockedAt)) };
  }

  unlock(): void {
    this.#entrance.unlock();
  }

  /** Proposes a call, without waiting for its end. */
  async propose(operation: string, args: JsonValue): Promise<string> {
    return (await this.shop.call(operation, args, 0)).operation_id as string;
  }

  untilReceived(count = 1): Promise<unknown> {
    return eventually('the request', () => Promise.resolve(this.shop.received.length >= count));
  }

  /** The call ended so, once, with a verified receipt, and the API has got so many requests. */
  async expectEnd(id: string, end: { tx_outcome: string; attempt: number }, requests: number): Promise<JsonValue> {
    const { stack, world, received } = this.shop;
    await expectConsistent(stack, world, this.observer, id, end);
    expect(received).toHaveLength(requests);
    return (await verifiedReceipt(stack, world, id, 'outcome')).record;
  }
}

/** Passes connections on to a server on loopback, unless it is shut. */
class Entrance {
  readonly #server: Server;
  readonly #waiting = new Set<Socket>();
  #to = 0;
  #isShut = false;

  private constructor() {
    this.#server = createServer((client) => {
      client.on('error', () => client.destroy()).once('close', () => this.#waiting.delete(client));
      if (this.#isShut) this.#waiting.add(client);
      else this.#pass(client);
    });
  }

  static async open(): Promise<Entrance> {
    const entrance = new Entrance();
    entrance.#server.listen(0, '127.0.0.1');
    await once(entrance.#server, 'listening');
    return entrance;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get isKnockedAt(): boolean {
    return this.#waiting.size > 0;
  }

  leadTo(port: number): void {
    this.#to = port;
  }

  shut(): void {
    this.#isShut = true;
  }

  unlock(): void {
    this.#isShut = false;
    for (const client of this.#waiting) this.#pass(client);
    this.#waiting.clear();
  }

  close(): void {
    this.#server.close();
    for (const client of this.#waiting) client.destroy();
  }

  #pass(client: Socket): void {
    const server = connect(this.#to, '127.0.0.1');
    server.on('error', () => client.destroy()).once('close', () => client.destroy());
    client.once('close', () => server.destroy());
    client.pipe(server).pipe(client);
  }
}
