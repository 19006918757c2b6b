// SPDX-License-Identifier: Apache-2.0
//
// Work at authorization servers, which executors do: exchanging codes, renewing tokens, revoking them. INVARIANT
// (single flight): one executor has the work of a connection, by a claim with a lease and a number that fences.
// INVARIANT (sealed on the way): codes, tokens and secrets travel sealed to one executor for one claim, and back to the
// kernel.
import {
  Fault,
  MCP_CONNECTION_LIMITS,
  McpPersonTokens,
  parseMessage,
  type McpProblem,
  type McpTokenClaim,
  type McpTokenClaimRequest,
  type McpTokenReportRequest,
} from '@writ/contract';
import { parseJson } from '@writ/digest';
import { reportedTokensContext, sealTo, tokenWorkContext, type HpkeBox } from '@writ/sealing';
import {
  connectionEnded,
  endConnections,
  type Changed,
  type ChangeRecord,
  type Changes,
} from '../../evidence/changes/index.ts';
import type { TenantCipher, TenantVault } from '../../evidence/payload/index.ts';
import { openConnection, sealConnection } from '../../execution/person-tokens/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { ClaimedTokenWork } from '../../foundation/database/functions/mcp-connections.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';
import { callIn, requireFound, type Rows, type Tenancy } from '../../foundation/tenancy/index.ts';
import { clientSecretFor, lacksSecret } from './client-secret.ts';
import { clientIn, stepRecord, problemColumn, type ConnectionRow } from './connection-row.ts';
import { listAgain, replaceOthers } from './replaced-connections.ts';

/** Work of one tenant that is under way at a time. */
const EACH_MAX = 4;
/** Claims that one request of an executor may end, because they can't be given. */
const ENDED_MAX = 16;
/** Tries until the work is given up. A refresh is asked for anew by the next call. */
const TRIES_MAX = { exchange: 3, refresh: 8, revoke: 6 } as const;
/** The pause after a first failure, in milliseconds; it doubles up to the longest. */
const RETRY_MS = { exchange: 1_000, refresh: 2_000, revoke: 10_000 } as const;
const RETRY_MS_MAX = 5 * 60_000;
const SWEEP_ROWS = 500;
/** of a problem */
const MESSAGE_CHARS_MAX = 2_048;

type Work = keyof typeof TRIES_MAX;
type Attempt = Pick<McpTokenReportRequest, 'executor_id' | 'tenant_id' | 'connection_id' | 'claim'>;

export interface TokenWorkParts {
  readonly workers: CrossTenantPool;
  readonly tenancy: Tenancy;
  readonly changes: Changes;
  readonly vault: TenantVault;
  readonly hpkeBox: HpkeBox;
}

/** Gives work at authorization servers to executors, and keeps what came of it. */
export class TokenWork {
  readonly #parts: TokenWorkParts;

  constructor(parts: TokenWorkParts) {
    this.#parts = parts;
  }

  /** What the executor is to do; null where nothing is due. */
  async claim({ executor_id, public_key, without = [] }: McpTokenClaimRequest): Promise<McpTokenClaim | null> {
    for (let ended = 0; ended < ENDED_MAX; ended += 1) {
      const claimed = await kernelSql.claimMcpToken(this.#parts.workers.pool, {
        executor: executor_id,
        lease_ms: MCP_CONNECTION_LIMITS.leaseMs,
        each: EACH_MAX,
        without,
      });
      if (claimed === null) return null;
      const claim = await this.#given(claimed, executor_id, Buffer.from(public_key, 'base64'));
      if (claim !== null) return claim;
    }
    return null;
  }

  /**
   * Keeps what came of the work. Resolves with whether the executor still had it; otherwise nothing was written.
   * INVARIANT (rotation): new tokens replace the old ones in the transaction that this resolves after.
   * @throws Fault `request.malformed`
   */
  async report(report: McpTokenReportRequest): Promise<boolean> {
    const { tokens, problem, final } = report;
    if (tokens !== null && problem !== null) throw new Fault('request.malformed', 'a report has tokens or a problem');
    if (problem !== null) return await this.#fail(report, problem, final);
    if (tokens === null) return await this.#revoked(report);
    return await this.#keep(report, await this.#opened(report, tokens));
  }

  /** Forgets connections that are over. Resolves with how many. */
  async sweep(): Promise<number> {
    return await kernelSql.sweepMcpConnections(this.#parts.workers.pool, { rows: SWEEP_ROWS });
  }

  /** Null where it can't be given: the try is over then. */
  async #given(claimed: ClaimedTokenWork, executor_id: string, key: Buffer): Promise<McpTokenClaim | null> {
    const { tenant_id, connection_id, claim, lost } = claimed;
    const attempt = { executor_id, tenant_id, connection_id, claim };
    const row = await this.#claimed(attempt);
    // It ended since, and fenced the claim.
    if (row === null || row.work === null || row.sealed === null) return null;
    if (lost && row.failures >= TRIES_MAX[row.work as Work]) {
      await this.#fail(attempt, { code: 'mcp.unreachable', message: 'executors were lost while they worked on it' });
      return null;
    }
    try {
      return await this.#claimOf(row, attempt, key);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'secret.unknown') throw error;
      await this.#fail(attempt, { code: error.code, message: error.message });
      return null;
    }
  }

  async #claimed(attempt: Attempt): Promise<ConnectionRow | null> {
    return await this.#parts.tenancy.within(
      attempt.tenant_id,
      async (rows) => await rows.mcp_connection.findFirst({ where: claimedBy(attempt) }),
    );
  }

  /** Null where it ended since. @throws Fault `secret.unknown` */
  async #claimOf(row: ConnectionRow, attempt: Attempt, key: Buffer): Promise<McpTokenClaim | null> {
    const { tenant_id, connection_id, claim } = attempt;
    const { issuer, client_id, resource } = clientIn(row);
    const cipher = await this.#parts.vault.cipherFor(tenant_id);
    const content = openConnection(cipher, row, row.sealed ?? Buffer.alloc(0));
    const secret = await this.#secretFor(row, attempt, cipher);
    if (secret === null) return null;
    const needed = Object.entries({ ...content, ...secret }).filter(
      ([name, value]) => value !== undefined && (name !== 'access_token' || row.work === 'revoke'),
    );
    const sealed = await Promise.all(
      needed.map(async ([name, value]) => {
        const context = tokenWorkContext(tenant_id, connection_id, claim, name);
        return [name, (await sealTo(key, Buffer.from(value, 'utf8'), context)).toString('base64')] as const;
      }),
    );
    return {
      tenant_id,
      connection_id,
      claim,
      work: row.work as Work,
      issuer,
      client_id,
      resource,
      redirect_uri: row.redirect_uri,
      sealed: Object.fromEntries(sealed),
      report_key: (await this.#parts.hpkeBox.publicKey()).toString('base64'),
    };
  }

  /**
   * The client's secret, if the work has one; null where the connection ended since. INVARIANT: what the authorization
   * server is given is noted before, while the executor has the work: a secret of changed settings never gets here.
   * @throws Fault `secret.unknown`
   */
  async #secretFor(
    row: ConnectionRow,
    attempt: Attempt,
    cipher: TenantCipher,
  ): Promise<{ readonly client_secret?: string } | null> {
    return await this.#parts.tenancy.within(attempt.tenant_id, async (rows) => {
      const secret = await clientSecretFor(rows, cipher, row);
      if (secret === null) return {};
      const data = { secret_given: secret.given };
      const { count } = await rows.mcp_connection.updateMany({ where: claimedBy(attempt), data });
      return count === 0 ? null : { client_secret: secret.value };
    });
  }

  /** @throws Fault `request.malformed` */
  async #opened({ tenant_id, connection_id, claim }: Attempt, tokens: string): Promise<McpPersonTokens> {
    const context = reportedTokensContext(tenant_id, connection_id, claim);
    try {
      const bytes = await this.#parts.hpkeBox.open(Buffer.from(tokens, 'base64'), context);
      return parseMessage(McpPersonTokens, parseJson(bytes.toString('utf8')));
    } catch {
      // The error could quote a token.
      throw new Fault('request.malformed', 'the tokens are not sealed for this claim, or are none');
    }
  }

  async #keep(attempt: Attempt, tokens: McpPersonTokens): Promise<boolean> {
    const { tenant_id, connection_id } = attempt;
    const cipher = await this.#parts.vault.cipherFor(tenant_id);
    return await this.#parts.changes.upkeep(tenant_id, async (rows, now): Promise<Changed<boolean>> => {
      await callIn(rows, kernelSql.holdRules, { tenant: tenant_id });
      const row = await rows.mcp_connection.findFirst({ where: claimedBy(attempt) });
      if (row === null) return { value: await isKept(rows, cipher, attempt, tokens), records: [] };
      if (row.work === 'revoke' || row.sealed === null) return { value: false, records: [] };
      const isNew = row.work === 'exchange';
      const former = openConnection(cipher, row, row.sealed);
      const { access_token, refresh_token = former.refresh_token ?? null } = withoutNulls(tokens);
      // A connection that takes the place of another one, and its listing, before it is there itself.
      const replaced = isNew ? await replaceOthers(rows, row, attempt.executor_id) : { records: [], lists: row.lists };
      const { count } = await rows.mcp_connection.updateMany({
        where: claimedBy(attempt),
        data: {
          ...(isNew
            ? { state: 'connected', connected_at: BigInt(now), redirect_uri: null, lists: replaced.lists }
            : {}),
          sealed: sealConnection(cipher, row, { access_token, ...(refresh_token === null ? {} : { refresh_token }) }),
          access_expires_at: tokens.expires_in === null ? null : BigInt(now + tokens.expires_in * 1_000),
          renewable: refresh_token !== null,
          renewed_at: BigInt(now),
          ...(tokens.scopes === null ? {} : { scopes: [...tokens.scopes] }),
          problem: problemColumn(null),
          ...over(now, 0),
        },
      });
      if (count === 0) throw new Fault('overloaded', 'the claim ended meanwhile');
      if (replaced.lists) await listAgain(rows, row, now);
      const kept = requireFound(await rows.mcp_connection.findFirst({ where: { tenant_id, connection_id } }));
      const connected = isNew ? [stepRecord('connected', attempt.executor_id, kept)] : [];
      return { value: true, records: [...replaced.records, ...connected] };
    });
  }

  /** @param final whether the authorization server would refuse it again */
  async #fail(attempt: Attempt, problem: McpProblem, final = false): Promise<boolean> {
    const { tenant_id, executor_id: by, connection_id } = attempt;
    return await this.#parts.changes.upkeep(tenant_id, async (rows, now): Promise<Changed<boolean>> => {
      await callIn(rows, kernelSql.holdRules, { tenant: tenant_id });
      const row = await rows.mcp_connection.findFirst({ where: claimedBy(attempt) });
      if (row === null || row.work === null) return { value: false, records: [] };
      const work = row.work as Work;
      const failures = row.failures + 1;
      const isLast = final || failures >= TRIES_MAX[work];
      if (work === 'revoke' && isLast) return await this.#giveUp(rows, attempt, now, { row, problem });
      if (work === 'exchange' && isLast)
        return { value: true, records: await endConnections(rows, [connection_id], { tenant_id, by, problem }) };
      if (work === 'refresh' && final)
        return { value: true, records: await this.#refused(rows, attempt, now, problem) };
      const pause = Math.min(RETRY_MS_MAX, RETRY_MS[work] * 2 ** (failures - 1));
      const next = isLast ? {} : { work, due_at: BigInt(now + pause) };
      const data = { ...over(now, failures), problem: problemColumn(problem), ...next };
      const { count } = await rows.mcp_connection.updateMany({ where: claimedBy(attempt), data });
      // One record for failures in a row: each of them says the same.
      const isFirst = work === 'refresh' && row.failures === 0;
      return { value: count > 0, records: isFirst && count > 0 ? [stepRecord('refresh_failed', by, row)] : [] };
    });
  }

  /** The refresh token is worth nothing any more, so nothing is left to revoke. */
  async #refused(rows: Rows, attempt: Attempt, now: number, problem: McpProblem): Promise<ChangeRecord[]> {
    const { count } = await rows.mcp_connection.updateMany({
      where: claimedBy(attempt),
      data: {
        ...over(now, 0),
        state: 'ended',
        ended_at: BigInt(now),
        lists: false,
        sealed: null,
        renewable: false,
        problem: problemColumn(problem),
      },
    });
    return count === 0 ? [] : [connectionEnded(attempt.executor_id, attempt.connection_id)];
  }

  async #revoked(attempt: Attempt): Promise<boolean> {
    return await this.#parts.tenancy.within(
      attempt.tenant_id,
      async (rows, now) => (await this.#forget(rows, attempt, now)).value,
    );
  }

  /** Keeps nothing of the tokens of a connection that ended, nor of its person, where that was forgotten. */
  async #forget(rows: Rows, attempt: Attempt, now: number): Promise<Changed<boolean>> {
    const { tenant_id } = attempt;
    const { count } = await rows.mcp_connection.updateMany({
      where: { ...claimedBy(attempt), work: 'revoke' },
      data: { ...over(now, 0), sealed: null },
    });
    await callIn(rows, kernelSql.forgetMcpPersons, { tenant: tenant_id });
    return { value: count > 0, records: [] };
  }

  /** INVARIANT (nothing unrecorded): tokens that may still be good have a record and a problem. */
  async #giveUp(
    rows: Rows,
    attempt: Attempt,
    now: number,
    { row, problem: { code, message } }: { readonly row: ConnectionRow; readonly problem: McpProblem },
  ): Promise<Changed<boolean>> {
    const { tenant_id, connection_id, executor_id } = attempt;
    const without = (await lacksSecret(rows, row)) ? ", without the client's secret, which is another one by now" : '';
    const words = `its tokens could not be revoked at the authorization server${without}: ${message}`;
    const { value } = await this.#forget(rows, attempt, now);
    if (!value) return { value, records: [] };
    const problem = problemColumn({ code, message: words.slice(0, MESSAGE_CHARS_MAX) });
    await rows.mcp_connection.updateMany({ where: { tenant_id, connection_id }, data: { problem } });
    return { value, records: [stepRecord('revocation_failed', executor_id, row)] };
  }
}

const claimedBy = ({ tenant_id, connection_id, executor_id, claim }: Attempt) => ({
  tenant_id,
  connection_id,
  executor_id,
  claim,
  claim_until: { not: null },
});

/**
 * Whether these are the tokens that this claim was reported with before, and that the connection still has. The reply
 * got lost then, and an executor that is told otherwise revokes them.
 */
async function isKept(
  rows: Rows,
  cipher: TenantCipher,
  { tenant_id, connection_id, executor_id, claim }: Attempt,
  { access_token, refresh_token }: McpPersonTokens,
): Promise<boolean> {
  const where = { tenant_id, connection_id, executor_id, claim, claim_until: null, state: 'connected' };
  const row = await rows.mcp_connection.findFirst({ where });
  if (row === null || row.sealed === null) return false;
  const kept = openConnection(cipher, row, row.sealed);
  return kept.access_token === access_token && (refresh_token === null || kept.refresh_token === refresh_token);
}

/** The end of a try: nobody has it, and nothing is due. */
const over = (now: number, failures: number) => ({
  work: null,
  due_at: null,
  claim_until: null,
  tried_at: BigInt(now),
  failures,
});

/** Absent instead of null, so that a default can be named. */
function withoutNulls({ access_token, refresh_token }: McpPersonTokens): {
  readonly access_token: string;
  readonly refresh_token?: string;
} {
  return refresh_token === null ? { access_token } : { access_token, refresh_token };
}
