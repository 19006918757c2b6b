// SPDX-License-Identifier: Apache-2.0
//
// A person's consent, as their browser goes through it. INVARIANT (one answer): what is unknown, expired, used up or of
// another session is `not_found`, whatever it is. INVARIANT (one browser): the answer of an authorization server counts
// in the browser session that was confirmed in, once.
import { randomBytes } from 'node:crypto';
import {
  Fault,
  type MCP_CONSENT_REQUESTS,
  type McpConsentBegun,
  type McpConsentKey,
  type McpConsentState,
  type McpConsentView,
  type McpProblem,
  type McpHttpSettings,
} from '@writ/contract';
import { consentCodeContext, type HpkeBox } from '@writ/sealing';
import type { Static } from 'typebox';
import { endConnections, linkCredentials, type Changed, type Changes } from '../../evidence/changes/index.ts';
import type { TenantVault } from '../../evidence/payload/index.ts';
import { openConnection, sealConnection } from '../../execution/person-tokens/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { FoundConnection } from '../../foundation/database/functions/mcp-connections.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';
import { callIn, requireFound, type Rows, type Tenancy } from '../../foundation/tenancy/index.ts';
import { authorizeUrl } from './authorize-url.ts';
import {
  bytesOf,
  clientIn,
  isSameHash,
  problemIn,
  scopesIn,
  secretHash,
  stateIn,
  stepRecord,
  type ConnectionRow,
} from './connection-row.ts';
import { namesOf } from './mcp-connections.ts';

type ConsentRequest<K extends keyof typeof MCP_CONSENT_REQUESTS> = Static<(typeof MCP_CONSENT_REQUESTS)[K]>;

const SECRET_BYTES = 32;
/** Errors of RFC 6749 §4.1.2.1 have this form; anything else isn't quoted. */
const ERROR_CODE = /^[a-z_]{1,64}$/;

export interface ConsentParts {
  readonly workers: CrossTenantPool;
  readonly tenancy: Tenancy;
  readonly changes: Changes;
  readonly vault: TenantVault;
  /** opens codes, which the orchestrator seals */
  readonly hpkeBox: HpkeBox;
}

/** Leads persons through their consents. */
export class McpConsents {
  readonly #parts: ConsentParts;

  constructor(parts: ConsentParts) {
    this.#parts = parts;
  }

  async key(): Promise<McpConsentKey> {
    return { public_key: (await this.#parts.hpkeBox.publicKey()).toString('base64') };
  }

  /** What is asked for, until the link expires. @throws Fault `not_found` */
  async look({ handle, subject_hash }: ConsentRequest<'look'>): Promise<McpConsentView> {
    const found = await this.#find({ handle: secretHash(handle) });
    return await this.#parts.tenancy.within(found.tenant_id, async (rows, now) => {
      const row = await liveConsent(rows, found, now);
      const server = requireFound(
        await rows.resource.findFirst({ where: { tenant_id: row.tenant_id, resource_id: row.resource_id } }),
      );
      const { name: tenant_name } = requireFound(
        await rows.tenant.findUnique({ where: { tenant_id: row.tenant_id }, select: { name: true } }),
      );
      return {
        tenant_id: row.tenant_id,
        tenant_name,
        connection_id: row.connection_id,
        resource_id: row.resource_id,
        server: server.name,
        at: new URL((server.settings as unknown as McpHttpSettings).url).host,
        issuer: clientIn(row).issuer,
        place: new URL(clientIn(row).authorization_endpoint).host,
        scopes: [...scopesIn(row)],
        lists: row.lists,
        state: stateIn(row),
        yours: subject_hash === null ? null : isSameHash(row.subject_hash, subject_hash),
        expires_at: Number(row.expires_at),
      };
    });
  }

  /**
   * The person confirms what they saw, and goes on to the authorization server. A second confirmation replaces the
   * first, whose state is worth nothing then.
   * @throws Fault `not_found`, `mcp.consent_not_yours`; `conflict` once the person came back; `request.malformed` for
   * the redirect URI of another server
   */
  async confirm(request: ConsentRequest<'confirm'>): Promise<McpConsentBegun> {
    const { handle, subject_hash, session_hash, redirect_uri, credentials } = request;
    const found = await this.#find({ handle: secretHash(handle) });
    const { tenant_id, connection_id } = found;
    const cipher = await this.#parts.vault.cipherFor(tenant_id);
    const state = randomBytes(SECRET_BYTES).toString('base64url');
    const verifier = randomBytes(SECRET_BYTES).toString('base64url');
    return await this.#parts.changes.make(tenant_id, async (rows, now): Promise<Changed<McpConsentBegun>> => {
      await linkCredentials(rows, { tenant_id, subject_hash, credentials });
      const row = await liveConsent(rows, found, now);
      if (!isSameHash(row.subject_hash, subject_hash)) throw new Fault('mcp.consent_not_yours');
      verifyRedirect(redirect_uri, row);
      const { count } = await rows.mcp_connection.updateMany({
        where: { tenant_id, connection_id, state: { in: ['asked', 'confirmed'] } },
        data: {
          state: 'confirmed',
          state_hash: secretHash(state),
          session_hash: bytesOf(session_hash),
          redirect_uri,
          sealed: sealConnection(cipher, row, { verifier }),
        },
      });
      if (count === 0) throw new Fault('conflict', 'the link was used already: ask for another one');
      const authorize_url = authorizeUrl(clientIn(row), { redirect_uri, scopes: scopesIn(row), state, verifier });
      return { value: { authorize_url }, records: [stepRecord('confirmed', row.api_key_id, row)] };
    });
  }

  /**
   * The authorization server's answer. An executor exchanges a code for tokens as soon as one is free. INVARIANT (no
   * mix-up): an answer that came to another server's redirect URI, or to none that is said, uses up nothing, and its
   * code goes nowhere.
   * @throws Fault `not_found`, `request.malformed`
   */
  async callback({
    state,
    session_hash,
    resource_id = '',
    iss,
    code,
    error,
  }: ConsentRequest<'callback'>): Promise<McpConsentState> {
    if ((code === null) === (error === null)) throw new Fault('request.malformed', 'an answer has a code or an error');
    const found = await this.#find({ state: secretHash(state) });
    const { tenant_id, connection_id } = found;
    const cipher = await this.#parts.vault.cipherFor(tenant_id);
    const opened = code === null ? null : await this.#opened(code, state);
    return await this.#parts.changes.make(tenant_id, async (rows, now): Promise<Changed<McpConsentState>> => {
      // The revocation of a credential of the person comes wholly before this, and fails the consent, or after it.
      await callIn(rows, kernelSql.holdRules, { tenant: tenant_id });
      // INVARIANT (once): of two answers with one state, one finds it there.
      const { count } = await rows.mcp_connection.updateMany({
        where: {
          tenant_id,
          connection_id,
          resource_id,
          state: 'confirmed',
          state_hash: secretHash(state),
          session_hash: bytesOf(session_hash),
          expires_at: { gt: BigInt(now) },
        },
        data: { state_hash: null },
      });
      if (count === 0) throw new Fault('not_found');
      const row = requireFound(await rows.mcp_connection.findFirst({ where: { tenant_id, connection_id } }));
      const problem = problemOf(row, { iss, error });
      if (problem !== null || opened === null || row.sealed === null) {
        const end = { tenant_id, by: row.api_key_id, problem };
        const records = await endConnections(rows, [connection_id], end);
        return { value: await stateOf(rows, { tenant_id, connection_id }), records };
      }
      const { verifier = '' } = openConnection(cipher, row, row.sealed);
      await rows.mcp_connection.updateMany({
        where: { tenant_id, connection_id },
        data: {
          state: 'exchanging',
          sealed: sealConnection(cipher, row, { verifier, code: opened }),
          work: 'exchange',
          due_at: BigInt(now),
          asked_at: BigInt(now),
        },
      });
      return { value: await stateOf(rows, { tenant_id, connection_id }), records: [] };
    });
  }

  /** How far it is, for the browser session that confirmed it. @throws Fault `not_found` */
  async status({ connection_id, session_hash }: ConsentRequest<'status'>): Promise<McpConsentState> {
    const found = await this.#find({ connection: connection_id });
    return await this.#parts.tenancy.within(found.tenant_id, async (rows) => {
      const row = requireFound(await rows.mcp_connection.findFirst({ where: { ...found } }));
      if (!isSameHash(row.session_hash, session_hash)) throw new Fault('not_found');
      return await stateOf(rows, found);
    });
  }

  async #find(by: {
    readonly handle?: Uint8Array;
    readonly state?: Uint8Array;
    readonly connection?: string;
  }): Promise<FoundConnection> {
    const { handle = null, state = null, connection = null } = by;
    return requireFound(await kernelSql.findMcpConsent(this.#parts.workers.pool, { handle, state, connection }));
  }

  /** @throws Fault `request.malformed` */
  async #opened(code: string, state: string): Promise<string> {
    try {
      return (await this.#parts.hpkeBox.open(Buffer.from(code, 'base64'), consentCodeContext(state))).toString('utf8');
    } catch (cause) {
      throw new Fault('request.malformed', 'the code is not sealed for this consent', { cause });
    }
  }
}

/** The consent, unless its time is over. @throws Fault `not_found` */
async function liveConsent(rows: Rows, found: FoundConnection, now: number): Promise<ConnectionRow> {
  return requireFound(await rows.mcp_connection.findFirst({ where: { ...found, expires_at: { gt: BigInt(now) } } }));
}

/**
 * INVARIANT (one redirect URI for each server): an authorization server that knows this one lets nobody take a code of
 * its client to another server of Writ. @throws Fault `request.malformed`
 */
function verifyRedirect(uri: string, { resource_id }: ConnectionRow): void {
  if (URL.parse(uri)?.pathname.endsWith(`/${resource_id}`) !== true)
    throw new Fault('request.malformed', 'the redirect URI is not the one of the server', { pointer: '/redirect_uri' });
}

/**
 * Why the answer gives nothing. INVARIANT (who answered): an answer that names another issuer, or none where this one
 * always names itself, is another server's (RFC 9207).
 */
function problemOf(
  row: ConnectionRow,
  { iss, error }: { readonly iss: string | null; readonly error: string | null },
): McpProblem | null {
  const { issuer, names_issuer } = clientIn(row);
  if (iss === null ? names_issuer : iss !== issuer)
    return { code: 'mcp.consent_failed', message: 'the answer is of another authorization server than was asked' };
  if (error === null) return null;
  const words = ERROR_CODE.test(error) ? ` (\`${error}\`)` : '';
  return { code: 'mcp.consent_failed', message: `the authorization server, or the person there, refused${words}` };
}

async function stateOf(rows: Rows, found: FoundConnection): Promise<McpConsentState> {
  const row = requireFound(await rows.mcp_connection.findFirst({ where: { ...found } }));
  const names = await namesOf(rows, [row]);
  return {
    connection_id: row.connection_id,
    server: names.get(row.resource_id) ?? '',
    state: stateIn(row),
    problem: problemIn(row),
  };
}
