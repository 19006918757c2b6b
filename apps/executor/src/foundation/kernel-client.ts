// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import type { Bus } from '@writ/bus';
import {
  Fault,
  parseFromPeer,
  parseMessage,
  Redemption,
  ReleaseReply,
  ShellAttachReply,
  ShellRenewReply,
  type AnnouncedRequests,
  type ShellEnding,
  RenewReply,
  ReportReply,
  type Envelope,
  type PermitMode,
  type ReportRequest,
  type Subjects,
} from '@writ/contract';
import { KEY_BYTES, redeemedContext, HpkeBox } from '@writ/sealing';

/** Names the attempt that speaks. */
export interface AttemptCredentials {
  readonly tenant_id: string;
  readonly operation_id: string;
  readonly attempt: number;
  readonly mode: PermitMode;
  readonly executor_id: string;
  readonly nonce: string;
}

export type Report = Omit<ReportRequest, 'v' | keyof AttemptCredentials>;

/**
 * What the executor asks of the kernel. Every answer is parsed here; faults arrive as Faults. `timeoutMs` bounds the
 * wait for an answer.
 */
export class KernelClient {
  readonly #bus: Bus;
  readonly #subjects: Subjects;
  readonly #now: () => number;
  /** secrets are sealed to this process: its key is nowhere else, and ends with it */
  readonly #box = new HpkeBox(randomBytes(KEY_BYTES));

  /** @param now epoch milliseconds, for deadlines */
  constructor(bus: Bus, subjects: Subjects, now: () => number) {
    this.#bus = bus;
    this.#subjects = subjects;
    this.#now = now;
  }

  /** Made once for a redemption; the same nonce may ask again. */
  static newNonce(): string {
    return randomBytes(16).toString('hex');
  }

  async redeem(permit: Envelope, executorId: string, nonce: string, timeoutMs: number): Promise<Redemption> {
    const public_key = await this.publicKey();
    return await this.opened(
      parseMessage(
        Redemption,
        await this.#ask('kernel.redeem', { v: 1, permit, executor_id: executorId, nonce, public_key }, timeoutMs),
      ),
    );
  }

  /** What secrets are to be sealed to so that `opened` opens them, base64. */
  async publicKey(): Promise<string> {
    return (await this.#box.publicKey()).toString('base64');
  }

  /** Secrets that come sealed are opened here, and are in this process alone. */
  async opened({ sealed = {}, ...redemption }: Redemption): Promise<Redemption> {
    const { tenant_id, operation_id } = redemption;
    const opened = await Promise.all(
      Object.entries(sealed).map(
        async ([name, value]) =>
          [
            name,
            (
              await this.#box.open(Buffer.from(value, 'base64'), redeemedContext(tenant_id, operation_id, name))
            ).toString('utf8'),
          ] as const,
      ),
    );
    return { ...redemption, secrets: { ...redemption.secrets, ...Object.fromEntries(opened) } };
  }

  /** @param announced lines of the attempt's list of requests, for the kernel to keep */
  async renew(
    speaker: AttemptCredentials,
    timeoutMs: number,
    announced: AnnouncedRequests | null = null,
  ): Promise<RenewReply> {
    return await this.#announce('kernel.renew', speaker, timeoutMs, announced);
  }

  /** With `stop` in the answer nothing was noted, and the effect MUST NOT begin. */
  async effectStarted(
    speaker: AttemptCredentials,
    timeoutMs: number,
    announced: AnnouncedRequests | null = null,
  ): Promise<RenewReply> {
    return await this.#announce('kernel.effect_started', speaker, timeoutMs, announced);
  }

  async report(speaker: AttemptCredentials, report: Report, timeoutMs: number): Promise<ReportReply> {
    const { counted_by, ...usage } = report.usage;
    const asked = { v: 1, ...speaker, ...report };
    const answer =
      counted_by === undefined
        ? await this.#ask('kernel.report', asked, timeoutMs)
        : await this.#askEither('kernel.report', [asked, { ...asked, usage }], '/usage/counted_by', timeoutMs);
    return parseFromPeer(ReportReply, answer);
  }

  /** Gives the attempt back; callers MUST have stopped all that ran for it. */
  async release(speaker: AttemptCredentials, stopping: boolean, timeoutMs: number): Promise<void> {
    parseFromPeer(ReleaseReply, await this.#ask('kernel.release', { v: 1, ...speaker, stopping }, timeoutMs));
  }

  /** Where the shell of the attempt's session is. */
  async attachShell(
    speaker: AttemptCredentials,
    opens: boolean,
    shellId: string,
    timeoutMs: number,
  ): Promise<ShellAttachReply> {
    return parseFromPeer(
      ShellAttachReply,
      await this.#ask('kernel.shell.attach', { v: 1, ...speaker, opens, shell_id: shellId }, timeoutMs),
    );
  }

  /** Whether a shell may live on. */
  async renewShell(
    shell: { readonly tenant_id: string; readonly executor_id: string; readonly shell_id: string },
    timeoutMs: number,
  ): Promise<boolean> {
    return parseFromPeer(ShellRenewReply, await this.#ask('kernel.shell.renew', { v: 1, ...shell }, timeoutMs)).alive;
  }

  async endShell(
    shell: { readonly tenant_id: string; readonly executor_id: string; readonly shell_id: string },
    ending: ShellEnding,
    timeoutMs: number,
  ): Promise<void> {
    await this.#ask('kernel.shell.end', { v: 1, ...shell, ending }, timeoutMs);
  }

  /** A kernel of the version before keeps no lines. */
  async #announce(
    name: string,
    speaker: AttemptCredentials,
    timeoutMs: number,
    announced: AnnouncedRequests | null,
  ): Promise<RenewReply> {
    const asked = { v: 1, ...speaker };
    if (announced === null) return parseFromPeer(RenewReply, await this.#ask(name, asked, timeoutMs));
    return parseFromPeer(
      RenewReply,
      await this.#askEither(name, [{ ...asked, announced }, asked], '/announced', timeoutMs),
    );
  }

  /**
   * A kernel of the version before refuses what it doesn't know, before it does anything: where it doesn't know the
   * member at `pointer`, it is asked as it was then.
   */
  async #askEither(
    name: string,
    [now, then]: readonly [unknown, unknown],
    pointer: string,
    timeoutMs: number,
  ): Promise<unknown> {
    const until = this.#now() + timeoutMs;
    return await this.#ask(name, now, timeoutMs).catch(async (error: unknown) => {
      if (!(error instanceof Fault) || error.code !== 'request.malformed' || error.pointer !== pointer) throw error;
      return await this.#ask(name, then, Math.max(1, until - this.#now()));
    });
  }

  #ask(name: string, payload: unknown, timeoutMs: number): Promise<unknown> {
    return this.#bus.request(this.#subjects.request(name), payload, { deadline: this.#now() + Math.ceil(timeoutMs) });
  }
}
