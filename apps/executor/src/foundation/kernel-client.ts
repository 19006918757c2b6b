// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { withAddedMembers, type Bus } from '@writ/bus';
import {
  Fault,
  ImageClaimReply,
  ImageRenewReply,
  McpClaimReply,
  McpProgramsReply,
  McpReportReply,
  McpTokenClaimReply,
  McpTokenReportReply,
  type McpTransport,
  parseFromPeer,
  parseMessage,
  Redemption,
  REDEMPTION_MEMBERS,
  ReleaseReply,
  ShellAttachReply,
  ShellRenewReply,
  type AnnouncedRequests,
  type ImageClaim,
  type McpClaim,
  type McpPersonTokens,
  type McpProblem,
  type McpReportRequest,
  type McpTokenClaim,
  type ShellEnding,
  type WaitingProgram,
  RenewReply,
  ReportReply,
  type Envelope,
  type PermitMode,
  type ReportRequest,
  type Subjects,
} from '@writ/contract';
import {
  HpkeBox,
  KEY_BYTES,
  listingContext,
  redeemedContext,
  reportedTokensContext,
  sealTo,
  tokenWorkContext,
} from '@writ/sealing';

/** Identifies an attempt in its requests to the kernel; the attempt number and nonce fence earlier ones. */
export interface AttemptCredentials {
  readonly tenant_id: string;
  readonly operation_id: string;
  readonly attempt: number;
  readonly mode: PermitMode;
  readonly executor_id: string;
  readonly nonce: string;
}

/** An image that this executor has claimed. */
export type ClaimedImage = Pick<ImageClaim, 'image_id' | 'tenant_id' | 'claim'> & { readonly executor_id: string };

/** An MCP server whose tools this executor is to list, with its secrets by name, as those of a redemption. */
export type ClaimedServer = Omit<McpClaim, 'sealed'> & { readonly secrets: Readonly<Record<string, string>> };

/** What came of that. */
export type McpReport = Pick<McpReportRequest, 'listing' | 'about' | 'problem' | 'authorization'>;

/** Work at an authorization server that this executor has claimed, with what is sealed to it. */
export type ClaimedTokenWork = Omit<McpTokenClaim, 'sealed'> & {
  readonly secrets: Readonly<Partial<Record<keyof McpTokenClaim['sealed'], string>>>;
};

/** What came of that: tokens, a problem, or neither for tokens that were revoked. */
export interface TokenReport {
  readonly tokens: McpPersonTokens | null;
  readonly problem: McpProblem | null;
  /** the authorization server would refuse it again */
  readonly final: boolean;
}

export type Report = Omit<ReportRequest, 'v' | keyof AttemptCredentials>;

/**
 * The executor's requests to the kernel. Every answer is parsed here; faults arrive as Faults. `timeoutMs` bounds the
 * wait for an answer.
 */
export class KernelClient {
  readonly #bus: Bus;
  readonly #subjects: Subjects;
  readonly #now: () => number;
  /** secrets are sealed to the key of this process, which exists nowhere else and ends with it */
  readonly #hpkeBox = new HpkeBox(randomBytes(KEY_BYTES));

  /** @param now epoch milliseconds, for deadlines */
  constructor(bus: Bus, subjects: Subjects, now: () => number) {
    this.#bus = bus;
    this.#subjects = subjects;
    this.#now = now;
  }

  /** A new nonce for one redemption, which may repeat its request with it. */
  static newNonce(): string {
    return randomBytes(16).toString('hex');
  }

  async redeem(permit: Envelope, executorId: string, nonce: string, timeoutMs: number): Promise<Redemption> {
    const request = { v: 1, permit, executor_id: executorId, nonce, public_key: await this.publicKey() };
    const knows = [...REDEMPTION_MEMBERS];
    return await this.openSecrets(
      parseMessage(Redemption, await this.#requestWith('kernel.redeem', request, { knows }, timeoutMs)),
    );
  }

  /** The public key for sealing secrets that `openSecrets` can open, base64. */
  async publicKey(): Promise<string> {
    return (await this.#hpkeBox.publicKey()).toString('base64');
  }

  /** Opens the sealed secrets of a redemption. Only this process has them in clear. */
  async openSecrets({ sealed = {}, ...redemption }: Redemption): Promise<Redemption> {
    const { tenant_id, operation_id } = redemption;
    const openSecrets = await Promise.all(
      Object.entries(sealed).map(
        async ([name, value]) =>
          [
            name,
            (
              await this.#hpkeBox.open(Buffer.from(value, 'base64'), redeemedContext(tenant_id, operation_id, name))
            ).toString('utf8'),
          ] as const,
      ),
    );
    return { ...redemption, secrets: { ...redemption.secrets, ...Object.fromEntries(openSecrets) } };
  }

  /** @param announced lines of the attempt's list of requests, for the kernel to keep */
  async renew(
    credentials: AttemptCredentials,
    timeoutMs: number,
    announced: AnnouncedRequests | null = null,
  ): Promise<RenewReply> {
    return await this.#announce('kernel.renew', credentials, timeoutMs, announced);
  }

  /** With `stop` in the answer, the kernel recorded nothing, and the effect MUST NOT begin. */
  async effectStarted(
    credentials: AttemptCredentials,
    timeoutMs: number,
    announced: AnnouncedRequests | null = null,
  ): Promise<RenewReply> {
    return await this.#announce('kernel.effect_started', credentials, timeoutMs, announced);
  }

  async report(credentials: AttemptCredentials, report: Report, timeoutMs: number): Promise<ReportReply> {
    const { counted_by, ...usage } = report.usage;
    const request = { v: 1, ...credentials, ...report };
    const answer =
      counted_by === undefined
        ? await this.#request('kernel.report', request, timeoutMs)
        : await this.#requestWithFallback(
            'kernel.report',
            [request, { ...request, usage }],
            '/usage/counted_by',
            timeoutMs,
          );
    return parseFromPeer(ReportReply, answer);
  }

  /** Releases the attempt; callers MUST have stopped everything that ran for it. */
  async release(credentials: AttemptCredentials, stopping: boolean, timeoutMs: number): Promise<void> {
    parseFromPeer(ReleaseReply, await this.#request('kernel.release', { v: 1, ...credentials, stopping }, timeoutMs));
  }

  /** Asks which executor has the shell of the attempt's session. */
  async attachShell(
    credentials: AttemptCredentials,
    opens: boolean,
    shellId: string,
    timeoutMs: number,
  ): Promise<ShellAttachReply> {
    return parseFromPeer(
      ShellAttachReply,
      await this.#request('kernel.shell.attach', { v: 1, ...credentials, opens, shell_id: shellId }, timeoutMs),
    );
  }

  /** Renews the lease of a shell; resolves with whether the shell may continue. */
  async renewShell(
    shell: { readonly tenant_id: string; readonly executor_id: string; readonly shell_id: string },
    timeoutMs: number,
  ): Promise<boolean> {
    return parseFromPeer(ShellRenewReply, await this.#request('kernel.shell.renew', { v: 1, ...shell }, timeoutMs))
      .alive;
  }

  async endShell(
    shell: { readonly tenant_id: string; readonly executor_id: string; readonly shell_id: string },
    ending: ShellEnding,
    timeoutMs: number,
  ): Promise<void> {
    await this.#request('kernel.shell.end', { v: 1, ...shell, ending }, timeoutMs);
  }

  /** The image that this executor is to make ready; null where none waits. */
  async claimImage(executorId: string, timeoutMs: number): Promise<ImageClaim | null> {
    const request = { v: 1, executor_id: executorId };
    return parseFromPeer(ImageClaimReply, await this.#request('kernel.image.claim', request, timeoutMs)).claim;
  }

  /** Renews the claim of an image; resolves with whether the work may continue. */
  async renewImage(image: ClaimedImage, log: string, timeoutMs: number): Promise<boolean> {
    const request = { v: 1, ...image, log };
    return parseFromPeer(ImageRenewReply, await this.#request('kernel.image.renew', request, timeoutMs)).alive;
  }

  /** Gives an image back: at once for another executor if this one stops, and after a pause otherwise. */
  async releaseImage(image: ClaimedImage, stopping: boolean, log: string, timeoutMs: number): Promise<void> {
    await this.#request('kernel.image.release', { v: 1, ...image, stopping, log }, timeoutMs);
  }

  async finishImage(
    image: ClaimedImage,
    end: { readonly log: string; readonly image_digest: string | null; readonly problem: string | null },
    timeoutMs: number,
  ): Promise<void> {
    await this.#request('kernel.image.finish', { v: 1, ...image, ...end }, timeoutMs);
  }

  /** The MCP server whose tools this executor is to list; null where none is due. */
  async claimMcpServer(
    executorId: string,
    timeoutMs: number,
    transports: readonly McpTransport[] = ['http'],
  ): Promise<ClaimedServer | null> {
    const request = { v: 1, executor_id: executorId, public_key: await this.publicKey() };
    const reply = await this.#requestWith('kernel.mcp.claim', request, { transports }, timeoutMs);
    const { claim } = parseFromPeer(McpClaimReply, reply);
    if (claim === null) return null;
    const { sealed, ...server } = claim;
    const context = (name: string): string =>
      listingContext(server.tenant_id, server.resource.resource_id, server.claim, name);
    const opened = Object.entries(sealed).map(async ([name, value]) => {
      const bytes = await this.#hpkeBox.open(Buffer.from(value, 'base64'), context(name));
      return [name, bytes.toString('utf8')] as const;
    });
    return { ...server, secrets: Object.fromEntries(await Promise.all(opened)) };
  }

  /** Which of a tenant's processes of MCP programs may wait for another call, by the calls that they served last. */
  async liveMcpPrograms(
    executorId: string,
    tenantId: string,
    programs: readonly WaitingProgram[],
    timeoutMs: number,
  ): Promise<readonly string[]> {
    const request = { v: 1, executor_id: executorId, tenant_id: tenantId, programs };
    return parseFromPeer(McpProgramsReply, await this.#request('kernel.mcp.programs', request, timeoutMs)).live;
  }

  /** Reports what a server listed. Resolves with whether it counts: the claim may be another executor's by now. */
  async reportMcpServer(
    { tenant_id, claim, resource }: ClaimedServer,
    executorId: string,
    { authorization, ...report }: McpReport,
    timeoutMs: number,
  ): Promise<boolean> {
    const request = { v: 1, executor_id: executorId, tenant_id, resource_id: resource.resource_id, claim, ...report };
    const found = authorization === undefined ? {} : { authorization };
    return parseFromPeer(McpReportReply, await this.#requestWith('kernel.mcp.report', request, found, timeoutMs))
      .counted;
  }

  /** The work at an authorization server that this executor is to do; null where none is due. */
  async claimTokenWork(
    executorId: string,
    without: readonly ClaimedTokenWork['tenant_id'][],
    timeoutMs: number,
  ): Promise<ClaimedTokenWork | null> {
    const request = { v: 1, executor_id: executorId, public_key: await this.publicKey(), without };
    const answer = await this.#request('kernel.mcp_token.claim', request, timeoutMs);
    const { claim } = parseFromPeer(McpTokenClaimReply, answer);
    if (claim === null) return null;
    const { sealed, ...work } = claim;
    const opened = Object.entries(sealed).map(async ([name, value]) => {
      const context = tokenWorkContext(work.tenant_id, work.connection_id, work.claim, name);
      return [name, (await this.#hpkeBox.open(Buffer.from(value, 'base64'), context)).toString('utf8')] as const;
    });
    return { ...work, secrets: Object.fromEntries(await Promise.all(opened)) };
  }

  /** Reports what came of it, tokens sealed to the kernel. Resolves with whether it counts, as for a listing. */
  async reportTokenWork(
    { tenant_id, connection_id, claim, report_key }: ClaimedTokenWork,
    executorId: string,
    { tokens, problem, final }: TokenReport,
    timeoutMs: number,
  ): Promise<boolean> {
    const context = reportedTokensContext(tenant_id, connection_id, claim);
    const sealed =
      tokens === null
        ? null
        : await sealTo(Buffer.from(report_key, 'base64'), Buffer.from(JSON.stringify(tokens), 'utf8'), context);
    const request = {
      v: 1,
      executor_id: executorId,
      tenant_id,
      connection_id,
      claim,
      tokens: sealed?.toString('base64') ?? null,
      problem,
      final,
    };
    return parseFromPeer(McpTokenReportReply, await this.#request('kernel.mcp_token.report', request, timeoutMs))
      .counted;
  }

  /** A kernel of the previous version keeps no lines of the list. */
  async #announce(
    name: string,
    credentials: AttemptCredentials,
    timeoutMs: number,
    announced: AnnouncedRequests | null,
  ): Promise<RenewReply> {
    const request = { v: 1, ...credentials };
    const lines = announced === null ? {} : { announced };
    return parseFromPeer(RenewReply, await this.#requestWith(name, request, lines, timeoutMs));
  }

  /** @param added members that a kernel of the previous version may not know: then the request goes without them */
  async #requestWith(
    name: string,
    request: object,
    added: Readonly<Record<string, unknown>>,
    timeoutMs: number,
  ): Promise<unknown> {
    const until = this.#now() + timeoutMs;
    return await withAddedMembers(request, added, (message) =>
      this.#request(name, message, Math.max(1, until - this.#now())),
    );
  }

  /**
   * A kernel of the previous version refuses unknown members before it does anything. If it doesn't know the member at
   * `pointer`, this sends the request in the previous form.
   */
  async #requestWithFallback(
    name: string,
    [current, previous]: readonly [unknown, unknown],
    pointer: string,
    timeoutMs: number,
  ): Promise<unknown> {
    const until = this.#now() + timeoutMs;
    return await this.#request(name, current, timeoutMs).catch(async (error: unknown) => {
      if (!(error instanceof Fault) || error.code !== 'request.malformed' || error.pointer !== pointer) throw error;
      return await this.#request(name, previous, Math.max(1, until - this.#now()));
    });
  }

  #request(name: string, payload: unknown, timeoutMs: number): Promise<unknown> {
    return this.#bus.request(this.#subjects.request(name), payload, { deadline: this.#now() + Math.ceil(timeoutMs) });
  }
}
