// SPDX-License-Identifier: Apache-2.0
/**
 * The only way out for one attempt of a call.
 *
 * INVARIANT (judged each time): every request is judged whole: token, budget, permission to send, address. Nothing is
 * remembered from one to the next. INVARIANT (pinned): what is connected to is the address that was judged; the name
 * isn't asked again. Where the operator has a proxy resolve names, the proxy is asked for the name, and it alone
 * decides where that leads. INVARIANT (closed where unsure): what can't be judged, resolved, confirmed or listed
 * doesn't leave.
 */
import type { Duplex } from 'node:stream';
import { isIP } from 'node:net';
import type { AnnouncedRequests, EgressRequest, Grant } from '@writ/contract';
import { decideEgress, isPublicAddress, isSafeMethod, TUNNEL, urlOf, type EgressTarget } from '@writ/egress';
import { GateRefusal } from './gate-error.ts';
import { Metered } from './metered.ts';
import { UNWATCHED, type GateWatch } from './gate-watch.ts';
import type { EgressPorts } from './ports.ts';
import { RequestList, type ListedRequest } from './request-list.ts';
import { FRESH_MS, SendPermission } from './send-permission.ts';

/** Longer than any honest server takes to answer a greeting. */
const CONNECT_MS_MAX = 10_000;
/** A connection over which nothing goes for so long is given up. */
const IDLE_MS_MAX = 60_000;

/** Headers by lower-case name. */
export type Headers = readonly (readonly [name: string, value: string])[];

export interface CallGateOptions {
  /** the net grants of each token of the chain */
  readonly net: readonly Grant['net'][];
  /** hosts whose addresses needn't be public; all others' must be */
  readonly insideHosts?: readonly string[];
  readonly bytesMax: number;
  readonly requestsMax: number;
  readonly ports: EgressPorts;
  /** monotonic milliseconds */
  readonly now: () => number;
  /** aborts when the attempt must stop */
  readonly signal: AbortSignal;
  /**
   * Asks the kernel whether the call may go on, and has it keep lines of the list; rejects when it may not, or nobody
   * answers.
   */
  readonly confirm: (announced: AnnouncedRequests | null) => Promise<void>;
  /**
   * Has the kernel note that something outside is about to be changed, with lines of the list; rejects when it must not
   * be.
   */
  readonly announce: (announced: AnnouncedRequests | null) => Promise<void>;
  /** a line of the list as others may read it */
  readonly told?: (request: EgressRequest) => EgressRequest;
  /** of a preview: told what would have left; nothing does */
  readonly preview: ((what: string) => void) | null;
  readonly watch?: GateWatch;
}

/** A request that was let out, over a connection to where it may go. */
export interface Passage {
  readonly connection: Duplex;
  readonly listed: ListedRequest;
}

export class CallGate {
  readonly #options: CallGateOptions;
  readonly #list: RequestList;
  readonly #standing: SendPermission;
  readonly #told: GateWatch;
  readonly #open = new Set<Duplex>();
  #bytes = 0;
  #broken: GateRefusal | null = null;
  #watch: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: CallGateOptions) {
    this.#options = options;
    this.#told = options.watch ?? UNWATCHED;
    const began = options.now();
    this.#list = new RequestList(
      options.requestsMax,
      () => options.now() - began,
      options.told ?? ((request) => request),
    );
    this.#standing = new SendPermission(() => this.#tell(options.confirm), options.now);
    options.signal.addEventListener('abort', () => this.close(), { once: true });
  }

  /** Everything that asked to leave so far. */
  get requests(): readonly EgressRequest[] {
    return this.#list.entries;
  }

  /** Bytes that passed, both ways. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Why a connection was broken that had been let out; null where none was. */
  get brokenBy(): GateRefusal | null {
    return this.#broken;
  }

  /** Lists what asked to leave and was no request. */
  refuse(method: string, target: string, reason: string): void {
    this.#told.refused('egress.refused');
    this.#list.add(method, target, '')?.refused(reason);
  }

  /** Lets a request out, or a tunnel. @throws GateRefusal; nothing has left then */
  async admit(method: string, target: EgressTarget, purpose: string): Promise<Passage> {
    const listed = this.#list.add(method, method === TUNNEL ? `${target.host}:${target.port}` : urlOf(target), purpose);
    if (listed === null) {
      this.#told.refused('limit.exceeded');
      throw new GateRefusal('limit.exceeded', 'the call has asked for as many requests as it may');
    }
    try {
      const connection = await this.#admit(method, target, listed);
      this.#told.admitted();
      return { connection, listed };
    } catch (error) {
      const refusal =
        error instanceof GateRefusal
          ? error
          : new GateRefusal('egress.refused', 'the gate could not be sure, so nothing left', null, { cause: error });
      listed.refused(refusal.message);
      this.#told.refused(refusal.code);
      throw refusal;
    }
  }

  /** Breaks every connection; nothing is let out any more. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#watch);
    for (const connection of this.#open) connection.destroy();
  }

  async #admit(method: string, target: EgressTarget, listed: ListedRequest): Promise<Duplex> {
    const { net, bytesMax, preview } = this.#options;
    const verdict = decideEgress(net, method, target);
    if (verdict.effect === 'refuse') throw new GateRefusal(verdict.code, verdict.message, verdict.hint ?? null);
    if (preview !== null) {
      preview(`${method} ${urlOf(target)}`.slice(0, 512));
      throw new GateRefusal('egress.refused', 'a preview reaches nothing outside');
    }
    if (this.#bytes >= bytesMax)
      throw new GateRefusal('limit.exceeded', `the call has used its \`egress_bytes\` of ${bytesMax}`);
    await this.#verifyStanding();
    const address = await this.#addressOf(target.host);
    if (address !== null) listed.connected(address);
    // Heard from its first moment: an error of a socket that nobody listens to ends the process, and the other side can
    // cause one when it likes.
    const connection = this.#metered(await this.#dial(method, target, address), listed);
    try {
      if (!isSafeMethod(method)) await this.#announce(listed);
      // Connecting may have taken longer than the kernel's word is good for.
      await this.#verifyStanding();
      if (connection.destroyed) throw new GateRefusal('egress.failed', `\`${target.host}\` broke the connection off`);
      return connection;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  /**
   * INVARIANT (every address): one that isn't public is enough to refuse a name: who answers both ways is choosing what
   * we see.
   */
  async #addressOf(host: string): Promise<string | null> {
    const addresses = isIP(host) === 0 ? await this.#resolve(host) : [host];
    if (addresses === null) return null;
    const [first] = addresses;
    if (first === undefined) throw new GateRefusal('egress.failed', `\`${host}\` has no address`);
    // Which it was is not told: a job would learn what names mean in here.
    if (!addresses.every(isPublicAddress) && this.#options.insideHosts?.includes(host) !== true)
      throw new GateRefusal('egress.refused', `\`${host}\` does not lead to the public network alone`);
    return first;
  }

  async #resolve(host: string): Promise<readonly string[] | null> {
    try {
      return await within(CONNECT_MS_MAX, this.#options.signal, (signal) => this.#options.ports.resolve(host, signal));
    } catch (cause) {
      throw new GateRefusal('egress.failed', `\`${host}\` has no address`, null, { cause });
    }
  }

  async #dial(method: string, { scheme, host, port }: EgressTarget, address: string | null): Promise<Duplex> {
    const tlsHost = scheme === 'https' && method !== TUNNEL ? host : null;
    try {
      return await within(CONNECT_MS_MAX, this.#options.signal, (signal) =>
        this.#options.ports.dial({ host, address, port, tlsHost }, signal),
      );
    } catch (cause) {
      throw new GateRefusal('egress.failed', `\`${host}\` could not be connected to`, null, { cause });
    }
  }

  /**
   * INVARIANT (known before it leaves): the kernel has the line of a request that may change something, with where it
   * goes, before its first byte.
   */
  async #announce(listed: ListedRequest): Promise<void> {
    this.#list.grown(listed);
    do await this.#tell(this.#options.announce);
    while (!this.#list.isAnnounced(listed));
  }

  async #tell(kernel: (announced: AnnouncedRequests | null) => Promise<void>): Promise<void> {
    const unannounced = this.#list.takeUnannounced();
    await kernel(unannounced);
    if (unannounced !== null) this.#list.announced(unannounced);
  }

  async #verifyStanding(): Promise<void> {
    if (this.#closed) throw new GateRefusal('egress.refused', 'the call has to stop');
    try {
      await this.#standing.verify();
    } catch (cause) {
      throw new GateRefusal('egress.refused', 'the kernel did not confirm that the call may go on', null, { cause });
    }
    if (this.#closed) throw new GateRefusal('egress.refused', 'the call has to stop');
  }

  #metered(inner: Duplex, { entry }: ListedRequest): Duplex {
    const idle = setTimeout(
      () => connection.destroy(new Error('nothing went over the connection for too long')),
      IDLE_MS_MAX,
    ).unref();
    const { bytesMax } = this.#options;
    const pass = (bytes: number): void => {
      if (!this.#standing.isFresh)
        throw (this.#broken = new GateRefusal('egress.refused', 'the kernel did not confirm that the call may go on'));
      if (this.#bytes + bytes > bytesMax)
        throw (this.#broken = new GateRefusal(
          'limit.exceeded',
          `the call has used its \`egress_bytes\` of ${bytesMax}`,
        ));
      this.#bytes += bytes;
      idle.refresh();
    };
    const connection = new Metered(inner, {
      sent: (bytes) => {
        pass(bytes);
        entry.sent_bytes += bytes;
        this.#told.passed('sent', bytes);
      },
      received: (bytes) => {
        pass(bytes);
        entry.received_bytes += bytes;
        this.#told.passed('received', bytes);
      },
    });
    this.#keep(connection, idle);
    return connection;
  }

  /**
   * As long as anything is open the kernel is asked twice a second; where it is silent, or says stop, what is open
   * breaks.
   */
  #keep(connection: Duplex, idle: NodeJS.Timeout): void {
    this.#open.add(connection);
    this.#watch ??= setInterval(
      () => void this.#standing.refresh().catch(() => this.#standing.isFresh || this.#breakAll()),
      FRESH_MS / 2,
    ).unref();
    connection.on('error', () => undefined);
    connection.once('close', () => {
      clearTimeout(idle);
      this.#open.delete(connection);
      if (this.#open.size > 0) return;
      clearInterval(this.#watch);
      this.#watch = undefined;
    });
  }

  #breakAll(): void {
    for (const connection of this.#open)
      connection.destroy(new GateRefusal('egress.refused', 'the kernel did not confirm that the call may go on'));
  }
}

async function within<T>(ms: number, signal: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  const { promise: over, reject } = Promise.withResolvers<never>();
  const stop = () => reject(until.reason as Error);
  until.addEventListener('abort', stop, { once: true });
  if (until.aborted) stop();
  try {
    return await Promise.race([run(until), over]);
  } finally {
    until.removeEventListener('abort', stop);
  }
}
