// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import type { Bus, Subscription, WorkMessage } from '@writ/bus';
import {
  Permit,
  subjectsOf,
  type Envelope,
  type Lane,
  type Redemption,
  type ReportReply,
  type ReportRequest,
} from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import { SHARD, type Stack } from './stack.ts';

/** A permit that arrived, and its message. */
export interface ReceivedPermit {
  readonly lane: Lane;
  readonly envelope: Envelope;
  readonly permit: Permit;
  readonly message: WorkMessage;
}

/** The credentials of one attempt. */
export interface AttemptCredentials {
  readonly tenant_id: string;
  readonly operation_id: string;
  readonly attempt: number;
  readonly executor_id: string;
  readonly nonce: string;
}
export type Report = Omit<ReportRequest, 'v' | keyof AttemptCredentials>;

const subjects = subjectsOf(SHARD);
/** Long enough for an answer from a busy machine. */
const ANSWER_MS = 30_000;
/** Several renewals within the shortest lease that a spec sets. */
const RENEW_MS = 500;

/** An executor on the bus that does what a test says, honest or not. */
export class BusExecutor {
  readonly id = newId('executor');
  readonly bus: Bus;
  readonly #subscriptions: Subscription[] = [];
  readonly #pendingPermit: ReceivedPermit[] = [];
  #waiting: ((permits: ReceivedPermit) => void)[] = [];
  #announcing: NodeJS.Timeout | undefined;

  private constructor(bus: Bus) {
    this.bus = bus;
  }

  /** Joins and accepts work at once; each permit goes to one caller of `next`. */
  static async join(
    stack: Pick<Stack, 'busAs'>,
    lanes: readonly Lane[] = ['inline', 'sandboxed'],
  ): Promise<BusExecutor> {
    const executor = new BusExecutor(await stack.busAs('executor'));
    for (const lane of lanes) {
      executor.#subscriptions.push(
        await executor.bus.consume(subjects.work(lane), {
          durable: lane,
          slots: () => 8,
          handler: (message) => executor.#redeem(lane, message),
        }),
      );
    }
    const announce = (): void =>
      executor.bus.publish(subjects.event('slots', '_'), {
        v: 1,
        executor_id: executor.id,
        inline: lanes.includes('inline') ? 8 : 0,
        sandboxed: lanes.includes('sandboxed') ? 8 : 0,
      });
    announce();
    executor.#announcing = setInterval(announce, 250);
    return executor;
  }

  /** The next permit that no caller has received yet. */
  next(): Promise<ReceivedPermit> {
    const there = this.#pendingPermit.shift();
    return there === undefined
      ? new Promise((resolve) => {
          this.#waiting.push(resolve);
        })
      : Promise.resolve(there);
  }

  static newNonce(): string {
    return randomBytes(16).toString('hex');
  }

  redeem(permit: unknown, nonce: string, executorId: string = this.id): Promise<Redemption> {
    return this.ask('kernel.redeem', { v: 1, permit, executor_id: executorId, nonce }) as Promise<Redemption>;
  }

  credentialsOf({ tenant_id, operation_id, attempt }: Permit, nonce: string): AttemptCredentials {
    return { tenant_id, operation_id, attempt, executor_id: this.id, nonce };
  }

  /** Renews the attempt's lease until the returned function is called, as a working executor does. */
  keep(attemptCredentials: AttemptCredentials): () => void {
    const renewing = setInterval(() => {
      this.ask('kernel.renew', { v: 1, ...attemptCredentials }).catch(() => null);
    }, RENEW_MS);
    return () => clearInterval(renewing);
  }

  report(
    attemptCredentials: AttemptCredentials,
    report: Partial<Report> | Record<string, unknown>,
  ): Promise<ReportReply> {
    const result = 'result' in report ? report.result : null;
    const honest: Report = {
      ended: 'exited',
      exit_code: 0,
      error: null,
      delta: null,
      delta_ref: null,
      result,
      result_ref: null,
      result_hash: sha256Hex(canonicalBytes(result ?? null)),
      contents: [],
      requests: [],
      usage: { wall_ms: 1, cpu_ms: 1, memory_peak_bytes: 1, disk_write_bytes: 1, output_bytes: 1 },
    };
    return this.ask('kernel.report', { v: 1, ...attemptCredentials, ...honest, ...report }) as Promise<ReportReply>;
  }

  /** A request at any subject of the table; the bus decides whether this user may send it. */
  ask(name: string, payload: unknown): Promise<unknown> {
    return this.bus.request(subjects.request(name), payload, { deadline: Date.now() + ANSWER_MS });
  }

  async disconnect(): Promise<void> {
    clearInterval(this.#announcing);
    // Handlers of permits that no test requested would keep it waiting.
    this.#waiting = [];
    await Promise.race([
      this.bus.close(),
      new Promise((resolve) => {
        setTimeout(resolve, 1_000).unref();
      }),
    ]);
  }

  async #redeem(lane: Lane, message: WorkMessage): Promise<void> {
    message.ack();
    const envelope = JSON.parse(Buffer.from(message.bytes).toString('utf8')) as Envelope;
    const permit = JSON.parse(Buffer.from(envelope.payload, 'base64').toString('utf8')) as Permit;
    const permits = { lane, envelope, permit, message };
    const waiting = this.#waiting.shift();
    if (waiting) waiting(permits);
    else this.#pendingPermit.push(permits);
  }
}
