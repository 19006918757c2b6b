// SPDX-License-Identifier: Apache-2.0
// Token exchange (RFC 8693): an agent's key, access token or session for a credential that lives for minutes and is
// bound to a part of one of the agent's capability tokens.
import { randomBytes } from 'node:crypto';
import { Fault, FAULTS, type AgentId, type Caller, type Grant, type Id } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { TokenView } from '../../calls/kernel/token-view.ts';
import { formatExchanged, hashApiKey, KEY_BYTES } from '../../edge/access/api-key-text.ts';
import type { Authenticator } from '../../edge/access/authenticator.ts';
import type { Identified } from '../../edge/access/identified.ts';
import type { PerMinute } from '../../edge/access/per-minute.ts';
import type { RateLimit } from '../../edge/access/rate-limit.ts';
import type { ApiKeys } from '../../store/keys/api-keys.ts';
import { CAPABILITY_TOKEN_TYPE, EXCHANGED_MS_MAX, parseExchange, type AskedGrant } from './exchange-request.ts';
import type { TokenGrant, TokenRequest } from '../../edge/oauth-endpoint/grants.ts';
import { OauthError } from '../../edge/oauth-endpoint/oauth-error.ts';
import type { TokenAnswer } from '../../edge/oauth-endpoint/token-answer.ts';

/** RFC 8693 §2.1. */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
/** Shortest life that is worth a credential, in milliseconds. */
const EXCHANGED_MS_MIN = 1_000;
/**
 * What such a credential may use: it calls tools, and sees and ends its own calls. The kernel confines it to its
 * capability token besides.
 */
export const EXCHANGED_SCOPES: readonly string[] = [
  'tool-calls:write',
  'operations:read',
  'operations:write',
  'tools:read',
  'capability-tokens:read',
];

/** Faults of the kernel by which the grant that was asked for can't be given. */
const REFUSED_GRANT: ReadonlySet<string> = new Set([
  'token.not_narrower',
  'key.revoked',
  'token.revoked',
  'token.expired',
  'token.not_yet_valid',
  'token.depth',
  'request.malformed',
  'request.too_large',
  'path.invalid',
  'path.escape',
  'not_found',
]);

export interface TokenExchangeParts {
  readonly kernel: Pick<KernelClient, 'ask'>;
  readonly keys: Pick<ApiKeys, 'create'>;
  readonly authenticator: Pick<Authenticator, 'identifyFully'>;
  readonly rate: Pick<RateLimit, 'consume'>;
  /** bounds the exchanges of one key: each leaves rows and records */
  readonly perKey: Pick<PerMinute, 'consume'>;
  /** the only resource that a credential is good for; null: it is named by nobody */
  readonly publicUrl: string | null;
  /** milliseconds since the epoch */
  readonly now: () => number;
}

/** Who exchanges, and what of it can be passed on. */
interface Subject {
  readonly caller: Caller & { readonly agent_id: AgentId };
  readonly scopes: readonly string[];
  readonly expiresAt: number;
  /** the only capability token of which parts are exchanged; null: each of the agent */
  readonly only: Id<'token'> | null;
}

/**
 * Exchanges tokens. INVARIANT (never more): a credential reaches, lasts and may use no more than what was exchanged, in
 * any dimension. INVARIANT (bound first): the kernel binds and records it before it exists.
 */
export class TokenExchange {
  readonly #parts: TokenExchangeParts;

  constructor(parts: TokenExchangeParts) {
    this.#parts = parts;
  }

  /** @throws OauthError, Fault `rate.limited` and those of a kernel or an issuer that can't be reached */
  readonly grant: TokenGrant = async (request) => {
    const asked = parseExchange(request, this.#parts.publicUrl);
    const subject = await this.#subjectOf(asked.subjectToken, request);
    this.#parts.rate.consume(subject.caller);
    this.#parts.perKey.consume(subject.caller.api_key_id);
    const parent = await this.#parentOf(subject, asked.grant);
    const grant = this.#grantOf(subject, asked.grant, parent);
    const api_key_id = newId('apiKey');
    const child = await orInvalid('invalid_scope', () =>
      this.#parts.kernel.ask('credential.exchange', subject.caller, {
        api_key_id,
        parent_id: parent.capability_token_id,
        ...(asked.grant.workspace_id === undefined ? {} : { workspace_id: asked.grant.workspace_id }),
        grant,
      }),
    );
    return await this.#issue(subject, api_key_id, child);
  };

  async #subjectOf(token: string, { address }: TokenRequest): Promise<Subject> {
    const found = await this.#identify(token, address);
    if (found === 'platform' || found.kind === 'exchanged_token')
      throw unacceptable('what was exchanged, and the platform key, can not be exchanged');
    // What was exchanged would outlive a session that its person ends.
    if (found.kind === 'session') throw unacceptable('a sign-in session can not be exchanged');
    const { caller } = found;
    if (caller.role !== 'agent' || caller.agent_id === null)
      throw unacceptable(`it is of the role \`${caller.role}\`; only an agent's is exchanged`);
    const scopes = EXCHANGED_SCOPES.filter((scope) => found.scopes.length === 0 || found.scopes.includes(scope));
    if (!scopes.includes('tool-calls:write')) throw unacceptable('its scopes lack `tool-calls:write`');
    const expiresAt = Math.min(found.expires_at ?? Number.POSITIVE_INFINITY, this.#parts.now() + EXCHANGED_MS_MAX);
    const only = found.exchanges ?? null;
    return { caller: { ...caller, agent_id: caller.agent_id }, scopes, expiresAt, only };
  }

  async #identify(token: string, address: string): Promise<Identified | 'platform'> {
    const need = { roles: ['agent'], path: '/v1/oauth/token' } as const;
    try {
      return await this.#parts.authenticator.identifyFully(`Bearer ${token}`, address, need);
    } catch (error) {
      // RFC 8693 §2.2.2: whatever the reason, a subject token that isn't acceptable is an invalid request.
      if (error instanceof Fault && [401, 403].includes(error.status))
        throw unacceptable(error.detail ?? error.message);
      throw error;
    }
  }

  async #parentOf({ caller, only }: Subject, { capability_token_id }: AskedGrant): Promise<TokenView> {
    if (only !== null && capability_token_id !== only)
      throw new OauthError('invalid_scope', `the workload exchanges parts of the capability token ${only} alone`);
    return await orInvalid('invalid_scope', () =>
      this.#parts.kernel.ask('token.read', caller, { capability_token_id }),
    );
  }

  /** What isn't asked for in particular is the parent's, except the tools: these are always named. */
  #grantOf({ expiresAt }: Subject, asked: AskedGrant, { grant: parent }: TokenView): Grant {
    const {
      tools,
      lifetimeMs = EXCHANGED_MS_MAX,
      capability_token_id: _parent,
      workspace_id: _workspace,
      ...more
    } = asked;
    const now = this.#parts.now();
    const expires_at = Math.min(now + lifetimeMs, expiresAt, parent.expires_at);
    if (expires_at - now < EXCHANGED_MS_MIN)
      throw new OauthError('invalid_scope', 'the subject token or the capability token ends within a second');
    return { ...parent, ...more, tools: [...tools], not_before: parent.not_before, expires_at };
  }

  async #issue({ caller, scopes }: Subject, id: Id<'apiKey'>, child: TokenView): Promise<TokenAnswer> {
    const { capability_token_id, grant } = child;
    const access_token = formatExchanged(id, randomBytes(KEY_BYTES));
    await this.#parts.keys.create(caller.tenant_id, {
      api_key_id: id,
      name: 'exchanged',
      role: 'agent',
      agent_id: caller.agent_id,
      // Of a key without a person: the key counts as one, and so does what is exchanged for it.
      principal: caller.principal ?? caller.api_key_id,
      ...(caller.person === undefined ? {} : { person_id: caller.person as Id<'person'> }),
      scopes,
      bound_token: capability_token_id as Id<'token'>,
      expires_at: grant.expires_at,
      hash: hashApiKey(access_token),
      created_by: caller.api_key_id,
    });
    return {
      access_token,
      issued_token_type: CAPABILITY_TOKEN_TYPE,
      token_type: 'Bearer',
      expires_in: Math.floor((grant.expires_at - this.#parts.now()) / 1_000),
      scope: grant.tools.join(' '),
      capability_token_id,
    };
  }
}

/** Turns a fault by which the grant can't be given into OAuth's error. */
async function orInvalid<T>(error: 'invalid_scope', run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (!(cause instanceof Fault) || !REFUSED_GRANT.has(cause.code)) throw cause;
    const detail = cause.code === 'not_found' ? 'the agent has no such capability token' : cause.detail;
    throw new OauthError(error, asciiOf(detail ?? FAULTS[cause.code].message));
  }
}

/** RFC 8693 §2.2.2. */
const unacceptable = (why: string): OauthError =>
  new OauthError('invalid_request', `the subject token: ${asciiOf(why)}`);

/** RFC 6749 §5.2: descriptions are printable ASCII without quotation marks and backslashes. */
const asciiOf = (text: string): string => text.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');
