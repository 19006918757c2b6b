// SPDX-License-Identifier: Apache-2.0
/**
 * The only network egress of one attempt of a call.
 *
 * INVARIANT (judged each time): the gate judges every request completely: token, budget, permission to send, address.
 * It keeps no verdict from one request for the next. INVARIANT (pinned): the gate connects to the address that it
 * judged and doesn't resolve the name again. Where the operator has a proxy resolve names, the gate gives the proxy the
 * name, and the proxy alone decides the address. INVARIANT (closed where unsure): a request that can't be judged,
 * resolved, confirmed or listed doesn't leave.
 */
import type { Duplex } from 'node:stream';
import type { AnnouncedRequests, EgressRequest, Grant, Verdict } from '@writ/contract';
import {
  decideEgress,
  decideResolution,
  describeTarget,
  isCanonicalHost,
  isPrivateEndpoint,
  isPublicAddress,
  isSafeMethod,
  parseTarget,
  TargetError,
  type EgressTarget,
  type PrivateEndpoint,
} from '@writ/egress';
import type { AdmitOptions, AdmittedRequest } from './admitted-request.ts';
import { addressesOf, dialTarget } from './dial-target.ts';
import { bytesUsedUp, GateRefusal, hasToStop, notConfirmed, notPublic } from './gate-refusal.ts';
import { MeteredConnection } from './metered-connection.ts';
import { UNWATCHED, type GateWatch } from './gate-watch.ts';
import type { EgressPorts } from './egress-ports.ts';
import type { RawTarget } from './raw-target.ts';
import { PAUSE_MS_MAX, repeatWhilePassing } from './repeat-while-passing.ts';
import { RequestList, type ListedRequest } from './request-list.ts';
import { SendPermission } from './send-permission.ts';

/** A connection that is idle for so long is closed, unless its request says another time. */
const IDLE_MS_MAX = 60_000;

/** Headers by lower-case name. */
export type Headers = readonly (readonly [name: string, value: string])[];

export interface CallGateOptions {
  /** the net grants of each token of the chain */
  readonly net: readonly Grant['net'][];
  /** endpoints that may have private addresses; all others must have public ones */
  readonly privateEndpoints?: readonly PrivateEndpoint[];
  readonly bytesMax: number;
  readonly requestsMax: number;
  readonly ports: EgressPorts;
  /** monotonic milliseconds */
  readonly now: () => number;
  /** aborts when the attempt must stop */
  readonly signal: AbortSignal;
  /**
   * Asks the kernel whether the call may continue, and sends it lines of the list. Rejects when the call has to stop,
   * and when no answer arrives.
   */
  readonly confirm: (announced: AnnouncedRequests | null) => Promise<void>;
  /**
   * Announces to the kernel a request that may change something outside, with lines of the list. Rejects when the
   * request must not leave.
   */
  readonly announce: (announced: AnnouncedRequests | null) => Promise<void>;
  /** redacts a line of the list for others to read */
  readonly redact?: (request: EgressRequest) => EgressRequest;
  /** in a preview, records what would have left; nothing leaves */
  readonly preview: ((what: string) => void) | null;
  readonly watch?: GateWatch;
}

export class CallGate {
  readonly #options: CallGateOptions;
  readonly #list: RequestList;
  readonly #permission: SendPermission;
  readonly #watcher: GateWatch;
  readonly #open = new Set<Duplex>();
  readonly #closing = new AbortController();
  /** aborts at a refusal of the kernel, and is replaced then: a later request is confirmed anew */
  #refusing = new AbortController();
  /** how many requests resolve or dial */
  #connecting = 0;
  #bytesPassed = 0;
  #broken: GateRefusal | null = null;

  constructor(options: CallGateOptions) {
    this.#options = options;
    this.#watcher = options.watch ?? UNWATCHED;
    const began = options.now();
    this.#list = new RequestList(
      options.requestsMax,
      () => options.now() - began,
      options.redact ?? ((request) => request),
    );
    this.#permission = new SendPermission({
      confirm: () => this.#sendUnannounced(options.confirm),
      now: options.now,
      signal: this.#closing.signal,
      refused: (cause) => this.#breakAll(cause),
    });
    options.signal.addEventListener('abort', () => this.close(), { once: true });
    if (options.signal.aborted) this.close();
  }

  /** Every request so far, admitted or refused. */
  get requests(): readonly EgressRequest[] {
    return this.#list.entries;
  }

  /** Bytes sent and received. */
  get bytes(): number {
    return this.#bytesPassed;
  }

  /** Why the gate broke an admitted connection; null where it broke none. */
  get brokenBy(): GateRefusal | null {
    return this.#broken;
  }

  /** Lists bytes that were no valid request, as refused. */
  refuse(method: string, target: string, reason: string): void {
    this.#watcher.refused('egress.refused');
    this.#list.add(method, target, '')?.refused(reason);
  }

  /** Admits a request, a tunnel or a raw connection. @throws GateRefusal; nothing has left then */
  async admit(
    method: string,
    target: EgressTarget,
    purpose: string,
    { isSafe = isSafeMethod(method), idleMs = IDLE_MS_MAX }: AdmitOptions = {},
  ): Promise<AdmittedRequest> {
    return await this.#listing(method, describeTarget(method, target), purpose, async (listed) => ({
      connection: await this.#admit(method, target, listed, { isSafe, idleMs }),
      listed,
    }));
  }

  /**
   * Opens a raw connection for a tool: `TLS`, where the gate verified the server's certificate and the tool reads and
   * writes plain bytes; or `TCP`, where the tool may start TLS itself (STARTTLS) and MUST then verify the certificate.
   * The connection is metered, breaks when the call has to stop, and closes with the gate.
   * @throws GateRefusal, or TargetError for what is no host or port; nothing has left then
   */
  async connect(to: RawTarget, purpose: string): Promise<Duplex> {
    return (await this.#openRaw(to, purpose)).connection;
  }

  /**
   * Opens a raw connection like `connect`, for a tool that changes something late in it: logging in and looking around
   * changes nothing. Callers MUST await `announce` before they send what may change something. It rejects when that
   * must not be sent.
   */
  async connectToChange(
    to: Omit<RawTarget, 'isSafe'>,
    purpose: string,
  ): Promise<{ readonly connection: Duplex; readonly announce: () => Promise<void> }> {
    const { connection, listed } = await this.#openRaw({ ...to, isSafe: true }, purpose);
    return {
      connection,
      announce: async () => {
        await this.#announce(listed);
        await this.#verifyMaySend();
      },
    };
  }

  async #openRaw({ host, port, tls, isSafe = false }: RawTarget, purpose: string): Promise<AdmittedRequest> {
    const [method, url] = tls === 'tls' ? ['TLS', `tls://${host}:${port}`] : ['TCP', `tcp://${host}:${port}`];
    const admitted = await this.admit(method, this.#parsed(method, url), purpose, { isSafe });
    admitted.listed.opened();
    return admitted;
  }

  #parsed(method: string, url: string): EgressTarget {
    try {
      return parseTarget(method, url);
    } catch (error) {
      if (error instanceof TargetError) this.refuse(method, url, error.message);
      throw error;
    }
  }

  /**
   * Resolves the name of a granted host. INVARIANT (no internal names): the answer has public addresses alone, and a
   * name with any other is refused. @throws GateRefusal
   */
  async resolve(host: string): Promise<readonly string[]> {
    return await this.#listing('DNS', host, '', async (listed) => {
      if (!isCanonicalHost(host)) throw new GateRefusal('egress.refused', 'the name is none of a host');
      this.#verifyGranted(decideResolution(this.#options.net, host), `DNS ${host}`);
      await this.#verifyMaySend();
      const addresses = await this.#whileConfirmed((signal) => addressesOf(host, this.#options.ports, signal));
      await this.#verifyMaySend();
      if (addresses === null)
        throw new GateRefusal('egress.failed', `the proxy of this installation alone resolves \`${host}\``);
      if (!addresses.every(isPublicAddress)) throw notPublic(host);
      listed.opened();
      return addresses;
    });
  }

  async #listing<T>(
    method: string,
    target: string,
    purpose: string,
    run: (listed: ListedRequest) => Promise<T>,
  ): Promise<T> {
    const listed = this.#list.add(method, target, purpose);
    if (listed === null) {
      this.#watcher.refused('limit.exceeded');
      throw new GateRefusal('limit.exceeded', 'the call has asked for as many requests as it may');
    }
    try {
      const admitted = await run(listed);
      this.#watcher.admitted();
      return admitted;
    } catch (error) {
      const refusal =
        error instanceof GateRefusal
          ? error
          : new GateRefusal('egress.refused', 'the gate could not be sure, so nothing left', null, { cause: error });
      listed.refused(refusal.message);
      this.#watcher.refused(refusal.code);
      throw refusal;
    }
  }

  /** Closes every connection, and admits no request any more. */
  close(): void {
    this.#closing.abort(hasToStop());
    this.#permission.stopRefreshing();
    for (const connection of this.#open) connection.destroy();
  }

  async #admit(
    method: string,
    target: EgressTarget,
    listed: ListedRequest,
    { isSafe, idleMs }: Required<AdmitOptions>,
  ): Promise<Duplex> {
    this.#verifyGranted(
      decideEgress(this.#options.net, method, target),
      `${method} ${describeTarget(method, target)}`.slice(0, 512),
    );
    await this.#verifyMaySend();
    const address = await this.#addressOf(target);
    // A slow resolver may have taken longer than a confirmation is valid.
    await this.#verifyMaySend();
    if (address !== null) listed.connected(address);
    // The connection has an error listener from the start. An error event without a listener ends the process, and the
    // other side can cause one at any time.
    const connection = await this.#whileConfirmed(async (signal) =>
      this.#metered(await dialTarget(method, target, address, this.#options.ports, signal), listed, idleMs),
    );
    try {
      if (!isSafe) await this.#announce(listed);
      // Connecting may have taken longer than a confirmation is valid.
      await this.#verifyMaySend();
      if (connection.destroyed) throw new GateRefusal('egress.failed', `\`${target.host}\` broke the connection off`);
      return connection;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  /**
   * INVARIANT (every address): one private address is enough to refuse a name. A name with both kinds lets its owner
   * choose which one the gate uses.
   */
  async #addressOf(target: EgressTarget): Promise<string | null> {
    const { host } = target;
    const { ports, privateEndpoints = [] } = this.#options;
    const addresses = await this.#whileConfirmed((signal) => addressesOf(host, ports, signal));
    if (addresses === null) return null;
    const mayBePrivate = isPrivateEndpoint(privateEndpoints, target);
    if (!addresses.every(isPublicAddress) && !mayBePrivate) throw notPublic(host);
    return addresses[0] ?? null;
  }

  /**
   * INVARIANT (recorded before it leaves): the kernel has the line of a request that may change something, with its
   * address, before the first byte leaves.
   */
  async #announce(listed: ListedRequest): Promise<void> {
    this.#list.markChanged(listed);
    const { announce, now } = this.#options;
    const announced = async (): Promise<true> => {
      await this.#sendUnannounced(announce);
      return true;
    };
    const signal = this.#stopSignal();
    do await repeatWhilePassing(announced, now, signal, PAUSE_MS_MAX);
    while (!this.#list.isAnnounced(listed));
  }

  async #sendUnannounced(kernel: (announced: AnnouncedRequests | null) => Promise<void>): Promise<void> {
    const unannounced = this.#list.nextAnnouncement();
    await kernel(unannounced);
    if (unannounced !== null) this.#list.markAnnounced(unannounced);
  }

  /** @param what the request, for the report of a preview */
  #verifyGranted(verdict: Verdict, what: string): void {
    const { bytesMax, preview } = this.#options;
    if (verdict.effect === 'refuse') throw new GateRefusal(verdict.code, verdict.message, verdict.hint ?? null);
    if (preview !== null) {
      preview(what);
      throw new GateRefusal('egress.refused', 'a preview reaches nothing outside');
    }
    if (this.#bytesPassed >= bytesMax) throw bytesUsedUp(bytesMax);
  }

  async #verifyMaySend(): Promise<void> {
    if (this.#closing.signal.aborted) throw hasToStop();
    try {
      await this.#permission.verify();
    } catch (cause) {
      throw notConfirmed(cause);
    }
    if (this.#closing.signal.aborted) throw hasToStop();
  }

  #metered(inner: Duplex, { entry }: ListedRequest, idleMs: number): Duplex {
    const idle = setTimeout(() => {
      // Bytes that wait for a confirmation are no idle connection. That wait has its own bound.
      if (this.#permission.isWaiting) idle.refresh();
      else connection.destroy(new Error('nothing passed for too long'));
    }, idleMs).unref();
    const { bytesMax } = this.#options;
    const pass = (bytes: number): void => {
      if (this.#bytesPassed + bytes > bytesMax) throw (this.#broken = bytesUsedUp(bytesMax));
      this.#bytesPassed += bytes;
      idle.refresh();
    };
    const connection = new MeteredConnection(inner, {
      pass: () => (this.#permission.isFresh ? null : this.#verifyMaySend()),
      sent: (bytes) => {
        pass(bytes);
        entry.sent_bytes += bytes;
        this.#watcher.passed('sent', bytes);
      },
      received: (bytes) => {
        pass(bytes);
        entry.received_bytes += bytes;
        this.#watcher.passed('received', bytes);
      },
    });
    this.#track(connection, idle);
    return connection;
  }

  /**
   * While any connection is open, the gate keeps the kernel's confirmation fresh. While it isn't, bytes wait. After a
   * refusal, the gate closes all connections.
   */
  #track(connection: Duplex, idle: NodeJS.Timeout): void {
    this.#open.add(connection);
    this.#permission.keepFresh();
    connection.on('error', () => undefined);
    connection.once('close', () => {
      clearTimeout(idle);
      this.#open.delete(connection);
      this.#stopRefreshingIfIdle();
    });
  }

  /** Aborts when the gate closes, or when the kernel refuses from now on. */
  #stopSignal(): AbortSignal {
    return AbortSignal.any([this.#closing.signal, this.#refusing.signal]);
  }

  /** Resolves or dials, and stops when the gate closes or the kernel refuses. The gate asks the kernel meanwhile. */
  async #whileConfirmed<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#connecting += 1;
    this.#permission.keepFresh();
    try {
      return await run(this.#stopSignal());
    } finally {
      this.#connecting -= 1;
      this.#stopRefreshingIfIdle();
    }
  }

  #stopRefreshingIfIdle(): void {
    if (this.#open.size === 0 && this.#connecting === 0) this.#permission.stopRefreshing();
  }

  #breakAll(cause: unknown): void {
    if (this.#closing.signal.aborted) return;
    const refusal = notConfirmed(cause);
    this.#refusing.abort(refusal);
    this.#refusing = new AbortController();
    if (this.#open.size > 0) this.#broken = refusal;
    for (const connection of this.#open) connection.destroy(refusal);
  }
}
