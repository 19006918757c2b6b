// SPDX-License-Identifier: Apache-2.0
// The API server of one test, over real HTTP and WebSockets on loopback. It answers requests for pods, leases, watches
// and attached streams as Kubernetes does, as far as the driver uses them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { V1Lease, V1Pod } from '@kubernetes/client-node';
import { outputSealer } from '@writ/sandbox';
import { WebSocketServer, type WebSocket } from 'ws';

/** The container's end of the streams that a driver attaches to a pod. */
export interface Attached {
  readonly pod: V1Pod;
  readonly socket: WebSocket;
  stdout(bytes: Uint8Array): void;
  stderr(bytes: Uint8Array): void;
  /** Seals the output on `stdout` from now on, as an agent does after its greeting. */
  seal(key: Uint8Array): void;
  /** Calls back with the bytes that the driver sends to the agent. */
  onStdin(take: (bytes: Buffer) => void): void;
}

export type Stored = {
  kind: string;
  metadata?: {
    name?: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    labels?: Record<string, string>;
    deletionTimestamp?: Date;
  };
} & Record<string, unknown>;
interface Watcher {
  readonly response: ServerResponse;
  readonly selector: string;
  readonly kind: string;
}
interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly reason?: string;
  readonly retryAfter?: string;
  times: number;
}

/** Objects of the namespace, by the last part of their paths. */
const KINDS: Readonly<Record<string, string>> = { pods: 'Pod', leases: 'Lease', sandboxclaims: 'SandboxClaim' };

/** Receives objects that were created, changed or removed, as in watch events. */
export type WatchListener = (type: string, object: Record<string, unknown> & { kind: string }) => void;

export class FakeApi {
  /** runs in each pod from when it is attached */
  agent: (attached: Attached) => void = () => undefined;
  /** the runtime's name for the image of a pod */
  imageId: (pod: V1Pod) => string = (pod) => `docker-pullable://${pod.spec?.containers[0]?.image}`;
  /** receives every change, as a controller with a watch does */
  controller: WatchListener = () => undefined;
  /** answers to `GET` of paths outside of the namespace */
  readonly served = new Map<string, object>();
  /** all requests so far, as `METHOD path` */
  readonly requests: string[] = [];
  readonly #objects = new Map<string, Stored>();
  readonly #attached = new Map<string, WebSocket>();
  readonly #watchers = new Set<Watcher>();
  readonly #sockets = new Set<Socket>();
  readonly #refusals: { matches: RegExp; refusal: Refusal }[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'writ-api-'));
  readonly #upgrades = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered][0] ?? false });
  #server: Server | null = null;
  #port = 0;
  #version = 1;
  #isSilent = false;
  #runs = true;
  #losesAnswer = false;

  async open(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response));
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('upgrade', (request, socket, head) => this.#attach(request, socket as Socket, head));
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Simulates a dead API server: every connection breaks, and no new one is accepted. */
  async shut(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    this.#watchers.clear();
    await closed;
  }

  async close(): Promise<void> {
    await this.shut();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** A kubeconfig file for this server. */
  get kubeconfig(): string {
    const path = join(this.#folder, 'config');
    writeFileSync(
      path,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'test',
        clusters: [
          { name: 'test', cluster: { server: `http://127.0.0.1:${this.#port}`, 'insecure-skip-tls-verify': true } },
        ],
        users: [{ name: 'test', user: { token: 'a-token' } }],
        contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
      }),
    );
    return path;
  }

  get pods(): V1Pod[] {
    return [...this.#objects.values()].filter(({ kind }) => kind === 'Pod') as unknown as V1Pod[];
  }

  get leases(): V1Lease[] {
    return [...this.#objects.values()].filter(({ kind }) => kind === 'Lease') as unknown as V1Lease[];
  }

  /** Answers matching requests with this refusal, this many times. */
  refuse(matches: RegExp, refusal: Omit<Refusal, 'times'>, times = 1): void {
    this.#refusals.push({ matches, refusal: { ...refusal, times } });
  }

  /** Creates the next pod and answers that the server is busy, as where the real answer was lost. */
  loseAnswer(): void {
    this.#losesAnswer = true;
  }

  /** From now on requests are accepted and never answered. */
  fallSilent(): void {
    this.#isSilent = true;
  }

  /** From now on pods are created and never run; an event gives the reason. */
  stall(isStalled = true): void {
    this.#runs = !isStalled;
  }

  /** Adds or replaces an object, as another process would. */
  put(object: Record<string, unknown>): void {
    this.#store(object as Stored, 'ADDED');
  }

  /** Objects of a kind. */
  ofKind(kind: string): Stored[] {
    return [...this.#objects.values()].filter((object) => object.kind === kind);
  }

  /** Creates an object as a `POST` does. */
  create(object: Record<string, unknown>): void {
    this.#create(object as Stored);
  }

  /** Changes members of an object, as a controller would. */
  change(kind: string, name: string, members: object): void {
    const object = this.#objects.get(`${kind}/${name}`);
    if (object) this.#store({ ...object, ...members }, 'MODIFIED');
  }

  /** Removes an object, as the cluster's garbage collector would. */
  collect(kind: string, name: string): void {
    const object = this.#objects.get(`${kind}/${name}`);
    if (object) this.#remove(`${kind}/${name}`, object);
  }

  /** Changes a pod's status, as its kubelet would. */
  setStatus(name: string, status: object): void {
    const pod = this.#objects.get(`Pod/${name}`);
    if (pod) this.#store({ ...pod, status: { ...(pod['status'] as object), ...status } }, 'MODIFIED');
  }

  /** Breaks the attached stream of a pod. */
  detach(name: string): void {
    this.#attached.get(name)?.terminate();
  }

  /** Ends every watch as a server does whose history no longer contains its position. */
  expireWatches(): void {
    for (const { response } of this.#watchers)
      response.end(`${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } })}\n`);
    this.#watchers.clear();
  }

  /** Ends every watch as a server does when its time is over. */
  endWatches(): void {
    for (const { response } of this.#watchers) response.end();
    this.#watchers.clear();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://test');
    this.requests.push(`${request.method ?? ''} ${url.pathname}${url.searchParams.has('watch') ? '?watch' : ''}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (this.#isSilent) return;
    if (request.headers.authorization !== 'Bearer a-token')
      return this.#refuse(response, { status: 401, message: 'no token', times: 1 });
    const refused = this.#refusalOf(this.requests.at(-1) ?? '');
    if (refused) return this.#refuse(response, refused);
    if (url.pathname === '/version') return this.#send(response, 200, { gitVersion: 'v1.35.4' });
    const served = this.served.get(url.pathname);
    if (served !== undefined) return this.#send(response, 200, served);
    const [, plural = '', name] = /\/namespaces\/sandboxes\/([a-z]+)(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
    const kind = KINDS[plural];
    if (kind === undefined) return this.#refuse(response, { status: 404, message: 'no such path', times: 1 });
    this.#serve(request.method ?? '', kind, name, url, Buffer.concat(chunks).toString(), response);
  }

  #refusalOf(request: string): Refusal | null {
    const refused = this.#refusals.find(({ matches, refusal }) => refusal.times > 0 && matches.test(request));
    if (refused === undefined) return null;
    refused.refusal.times -= 1;
    return refused.refusal;
  }

  #serve(
    method: string,
    kind: string,
    name: string | undefined,
    url: URL,
    body: string,
    response: ServerResponse,
  ): void {
    const selector = url.searchParams.get('labelSelector') ?? '';
    if (method === 'GET' && url.searchParams.has('watch'))
      return this.#watch({ response, selector, kind }, Number(url.searchParams.get('resourceVersion')));
    if (method === 'GET' && name === undefined) {
      const items = [...this.#objects.values()].filter(
        (object) => object.kind === kind && isSelected(object, selector),
      );
      return this.#send(response, 200, {
        kind: `${kind}List`,
        metadata: { resourceVersion: String(this.#version) },
        items,
      });
    }
    const sent = body === '' ? null : (JSON.parse(body) as Stored & { preconditions?: { resourceVersion?: string } });
    const key = `${kind}/${name ?? sent?.metadata?.name ?? ''}`;
    const there = this.#objects.get(key);
    if (method === 'POST' && this.#losesAnswer) {
      this.#losesAnswer = false;
      this.#create(sent as Stored);
      return this.#refuse(response, { status: 504, message: 'timeout', times: 1 });
    }
    if (method === 'POST')
      return there
        ? this.#refuse(response, { status: 409, message: 'it exists', reason: 'AlreadyExists', times: 1 })
        : this.#send(response, 201, this.#create(sent as Stored));
    if (there === undefined)
      return this.#refuse(response, { status: 404, message: 'not found', reason: 'NotFound', times: 1 });
    if (method === 'GET') return this.#send(response, 200, there);
    const expected = method === 'PUT' ? sent?.metadata?.resourceVersion : sent?.preconditions?.resourceVersion;
    if (expected !== undefined && expected !== there.metadata?.resourceVersion)
      return this.#refuse(response, { status: 409, message: 'it has changed', reason: 'Conflict', times: 1 });
    if (method === 'PUT')
      return this.#send(
        response,
        200,
        this.#store({ ...(sent as Stored), metadata: { ...sent?.metadata, uid: there.metadata?.uid } }, 'MODIFIED'),
      );
    this.#send(response, 200, there);
    this.#remove(key, there);
  }

  #create(object: Stored): Stored {
    const stored = this.#store(
      {
        ...object,
        metadata: { ...object.metadata, uid: `uid-${++this.#version}` },
        ...(object.kind === 'Pod' ? { status: { phase: 'Pending' } } : {}),
      },
      'ADDED',
    );
    if (object.kind === 'Pod' && this.#runs) setTimeout(() => this.#run(stored), 5);
    return stored;
  }

  #run({ metadata }: Stored): void {
    const pod = this.#objects.get(`Pod/${metadata?.name}`);
    if (pod === undefined) return;
    const imageID = this.imageId(pod as unknown as V1Pod);
    this.setStatus(metadata?.name ?? '', {
      phase: 'Running',
      containerStatuses: [{ name: 'sandbox', imageID, state: { running: {} } }],
    });
  }

  #remove(key: string, object: Stored): void {
    if (object.kind === 'Pod')
      this.#store({ ...object, metadata: { ...object.metadata, deletionTimestamp: new Date() } }, 'MODIFIED');
    setTimeout(() => {
      const last = this.#objects.get(key);
      if (last === undefined) return;
      this.#objects.delete(key);
      this.#attached.get(object.metadata?.name ?? '')?.terminate();
      this.#notify('DELETED', { ...last, metadata: { ...last.metadata, resourceVersion: String(++this.#version) } });
    }, 5);
  }

  #store(object: Stored, type: string): Stored {
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } };
    this.#objects.set(`${object.kind}/${object.metadata?.name ?? ''}`, stored);
    this.#notify(type, stored);
    return stored;
  }

  /** A watch from an older version gets the current objects as events: no test needs the intermediate states. */
  #watch(watcher: Watcher, from: number): void {
    watcher.response.writeHead(200, { 'content-type': 'application/json' });
    watcher.response.flushHeaders();
    this.#watchers.add(watcher);
    watcher.response.once('close', () => this.#watchers.delete(watcher));
    for (const object of this.#objects.values())
      if (Number(object.metadata?.resourceVersion) > from) this.#notifyOne(watcher, 'MODIFIED', object);
  }

  #notify(type: string, object: Stored): void {
    this.controller(type, object);
    for (const watcher of this.#watchers) this.#notifyOne(watcher, type, object);
  }

  #notifyOne({ response, selector, kind }: Watcher, type: string, object: Stored): void {
    if (object.kind === kind && isSelected(object, selector)) response.write(`${JSON.stringify({ type, object })}\n`);
  }

  #attach(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const name = /\/pods\/([^/]+)\/attach\?/.exec(request.url ?? '')?.[1] ?? '';
    this.requests.push(`ATTACH ${name}`);
    const pod = this.#objects.get(`Pod/${name}`);
    const refused = this.#refusalOf(`ATTACH ${name}`);
    if (refused) {
      const body = JSON.stringify({ kind: 'Status', message: refused.message, reason: refused.reason });
      return void socket.end(
        `HTTP/1.1 ${refused.status} Refused\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
    }
    if (pod === undefined || request.headers.authorization !== 'Bearer a-token')
      return void socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    this.#upgrades.handleUpgrade(request, socket, head, (websocket) => {
      this.#attached.set(name, websocket);
      websocket.on('error', () => undefined);
      // As with `stdinOnce`: an agent without its host ends.
      websocket.once('close', () =>
        this.setStatus(name, {
          phase: 'Succeeded',
          containerStatuses: [{ name: 'sandbox', state: { terminated: { reason: 'Completed', exitCode: 0 } } }],
        }),
      );
      let sealed = (bytes: Uint8Array): Uint8Array => bytes;
      this.agent({
        pod: pod as unknown as V1Pod,
        socket: websocket,
        stdout: (bytes) => websocket.send(Buffer.concat([Buffer.from([1]), sealed(bytes)])),
        seal: (key) => {
          sealed = outputSealer(key);
        },
        stderr: (bytes) => websocket.send(Buffer.concat([Buffer.from([2]), bytes])),
        onStdin: (take) => void websocket.on('message', (data: Buffer) => data[0] === 0 && take(data.subarray(1))),
      });
    });
  }

  #refuse(response: ServerResponse, { status, message, reason, retryAfter }: Refusal): void {
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
    this.#send(response, status, { kind: 'Status', status: 'Failure', message, reason, code: status });
  }

  #send(response: ServerResponse, status: number, body: object): void {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
}

const isSelected = ({ metadata }: Stored, selector: string): boolean =>
  selector === '' ||
  selector.split(',').every((each) => metadata?.labels?.[each.split('=')[0] ?? ''] === each.split('=')[1]);
