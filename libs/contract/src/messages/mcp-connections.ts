// SPDX-License-Identifier: Apache-2.0
//
// Connections: a person's consent that an MCP server acts for them under their own rights, and the tokens that it gave.
// One row lives through all of it: asked, confirmed, exchanging, connected, ended. No message has a token, a code, a
// verifier or a client's secret in clear.
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema, Sha256Hex } from '../ids.ts';
import { ResourceName } from '../resources/resource-kinds.ts';
import { McpProblem } from './mcp-servers.ts';
import { Caller, Page } from './operations.ts';

const closed = { additionalProperties: false } as const;
const asked = { v: Type.Literal(1), caller: Caller } as const;
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Instant = Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' });
/** A name or an id in a request: an invalid one is simply not found. */
const Named = Type.String({ minLength: 1, maxLength: 128 });
/** 256 random bits, base64url. */
const Handle = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' });
const Url = Type.String({ minLength: 1, maxLength: 2_048 });
/** A keyed hash that the orchestrator makes, hex. */
const SubjectHash = { ...Sha256Hex, description: 'keyed hash of tenant, issuer and subject' };
const SessionHash = { ...Sha256Hex, description: 'hash of the id of the browser session' };
const Credentials = Type.Array(idSchema('apiKey'), {
  maxItems: 1_000,
  description: "all credentials of the subject that aren't revoked: calls of each of them are the person's",
});
const Sealed = Type.String({ maxLength: 65_536, description: 'base64' });

export const MCP_CONNECTION_LIMITS = {
  /** how long a person has to consent, in milliseconds */
  consentMs: 10 * 60_000,
  /** consents of one person that are under way */
  underWay: 8,
  /** how long an executor has for one exchange, refresh or revocation, in milliseconds: less than the lease */
  workMs: 20_000,
  leaseMs: 30_000,
  /** characters of an access or refresh token */
  tokenChars: 16_384,
} as const;

/**
 * `asked`: the person has the link; `confirmed`: they confirmed at Writ, and are at the authorization server;
 * `exchanging`: they came back, and an executor fetches the tokens; `connected`: calls use them; `failed`: it never
 * came to that; `ended`: it was connected.
 */
export const MCP_CONNECTION_STATES = ['asked', 'confirmed', 'exchanging', 'connected', 'failed', 'ended'] as const;
const State = Type.Enum([...MCP_CONNECTION_STATES]);

/** A connection, without its tokens. It says nothing of whose it is but the pseudonym. */
export const McpConnectionView = Type.Object(
  {
    connection_id: idSchema('connection'),
    server: ResourceName,
    state: State,
    own: Type.Boolean({ description: "whether it is the caller's own" }),
    person: orNull({ ...idSchema('person'), description: 'the pseudonym of the person; null: none is known' }),
    lists: Type.Boolean({ description: "whether the server's tools are listed with its rights" }),
    scopes: Type.Array(Type.String(), {
      description: 'what was granted, as far as it is known; else what is asked for',
    }),
    issuer: orNull(Type.String({ description: 'the authorization server' })),
    problem: orNull({ ...McpProblem, description: 'why it failed or ended, or why its token was not renewed' }),
    created_at: Instant,
    expires_at: orNull({ ...Instant, description: 'until when the person may consent; null: they did' }),
    connected_at: orNull(Instant),
    used_at: orNull({ ...Instant, description: 'when a call had its token last' }),
    ended_at: orNull(Instant),
  },
  closed,
);
export type McpConnectionView = Static<typeof McpConnectionView>;

/** A link to consent was made. Whoever has the handle sees what is asked for; only the person can confirm it. */
export const McpConnectionAsked = Type.Object(
  { connection_id: idSchema('connection'), handle: Handle, expires_at: Instant },
  closed,
);
export type McpConnectionAsked = Static<typeof McpConnectionAsked>;

/** orchestrator → kernel, for callers of the API. */
export const MCP_CONNECTION_REQUESTS = {
  /**
   * → McpConnectionAsked. `lists` takes the role admin. The caller's key must be a credential of the subject.
   * `not_found` for no such server; `conflict` where it takes no rights of persons, or too many consents are under way;
   * `mcp.authorization_unusable` where its authorization server can't be used, and `overloaded` where no executor has
   * looked for it yet: that takes seconds after the server is registered.
   */
  'mcp_connection.ask': Type.Object(
    {
      ...asked,
      server: Named,
      lists: Type.Optional(Type.Boolean()),
      subject_hash: SubjectHash,
      credentials: Credentials,
    },
    closed,
  ),
  /** → McpConnectionView: the caller's own, or any for an administrator */
  'mcp_connection.read': Type.Object({ ...asked, connection_id: Named }, closed),
  /**
   * → {items: McpConnectionView[], next_cursor}, newest first: the caller's own, all for administrators; `server`: of
   * that one alone. Ended ones are there for some days.
   */
  'mcp_connection.list': Type.Object({ ...asked, page: Page, server: orNull(Named) }, closed),
  /** → McpConnectionView after it: the caller's own, or any for an administrator. Ending it twice changes nothing. */
  'mcp_connection.end': Type.Object({ ...asked, connection_id: Named }, closed),
} as const;

/** What the page of a consent shows. */
export const McpConsentView = Type.Object(
  {
    tenant_id: idSchema('tenant'),
    tenant_name: Type.String({ description: 'as whoever operates Writ calls the tenant' }),
    connection_id: idSchema('connection'),
    /** INVARIANT (one redirect URI for each server): its id is the last part of the server's own */
    resource_id: idSchema('resource'),
    server: ResourceName,
    at: Type.String({ description: 'the host of the server, with its port if it is another than 443' }),
    issuer: Type.String({ description: 'the authorization server' }),
    place: Type.String({ description: 'the host that the browser goes to: the one of the authorization endpoint' }),
    scopes: Type.Array(Type.String()),
    lists: Type.Boolean(),
    state: State,
    yours: orNull(Type.Boolean({ description: 'whether the subject of the request asked; null: it names none' })),
    expires_at: Instant,
  },
  closed,
);
export type McpConsentView = Static<typeof McpConsentView>;
/** Where the person's browser goes on. */
export const McpConsentBegun = Type.Object({ authorize_url: Type.String({ maxLength: 16_384 }) }, closed);
export type McpConsentBegun = Static<typeof McpConsentBegun>;
export const McpConsentKey = Type.Object({ public_key: Type.String({ maxLength: 64 }) }, closed);
export type McpConsentKey = Static<typeof McpConsentKey>;
/** How far a consent is. */
export const McpConsentState = Type.Object(
  { connection_id: idSchema('connection'), server: ResourceName, state: State, problem: orNull(McpProblem) },
  closed,
);
export type McpConsentState = Static<typeof McpConsentState>;

/**
 * orchestrator → kernel, for a person's browser: no caller, since what the browser shows is the handle, the state or
 * its session. INVARIANT (one answer): what is unknown, expired, used up or another session's is `not_found`, with the
 * same bytes.
 */
export const MCP_CONSENT_REQUESTS = {
  /** `kernel.mcp_consent.look` → McpConsentView: until it expires, in whatever state */
  look: Type.Object({ v: Type.Literal(1), handle: Handle, subject_hash: orNull(SubjectHash) }, closed),
  /**
   * `kernel.mcp_consent.confirm` → McpConsentBegun. `mcp.consent_not_yours` for another person than the one who asked.
   * A second one replaces the state of the first, which is worth nothing then. `conflict` once the person came back.
   */
  confirm: Type.Object(
    {
      v: Type.Literal(1),
      handle: Handle,
      subject_hash: SubjectHash,
      session_hash: SessionHash,
      redirect_uri: Url,
      credentials: Credentials,
    },
    closed,
  ),
  /**
   * `kernel.mcp_consent.callback` → McpConsentState, `exchanging` or `failed`. Once for each state. Exactly one of code
   * and error is there. A wrong `iss`, or none where the authorization server always names itself, fails it.
   */
  callback: Type.Object(
    {
      v: Type.Literal(1),
      state: Handle,
      session_hash: SessionHash,
      /** the server whose redirect URI the answer came to: another one than that of the consent is `not_found` */
      resource_id: Type.Optional(idSchema('resource')),
      iss: orNull(Type.String({ maxLength: 2_048 })),
      code: orNull(
        Type.String({ minLength: 1, maxLength: 4_096, description: 'sealed for `consentCodeContext`, base64' }),
      ),
      error: orNull(Type.String({ maxLength: 256 })),
    },
    closed,
  ),
  /** `kernel.mcp_consent.key` → McpConsentKey: codes are sealed to it for `consentCodeContext` */
  key: Type.Object({ v: Type.Literal(1) }, closed),
  /** `kernel.mcp_consent.status` → McpConsentState, for the session that confirmed it */
  status: Type.Object({ v: Type.Literal(1), connection_id: idSchema('connection'), session_hash: SessionHash }, closed),
} as const;

/** executor → kernel: `kernel.mcp_token.claim` → McpTokenClaimReply: is there work at an authorization server? */
export const McpTokenClaimRequest = Type.Object(
  {
    v: Type.Literal(1),
    executor_id: idSchema('executor'),
    public_key: Type.String({ maxLength: 64, description: 'X25519, base64: what the work needs is sealed to it' }),
    without: Type.Optional(
      Type.Array(idSchema('tenant'), { maxItems: 64, description: 'tenants that have their share of the executor' }),
    ),
  },
  closed,
);
export type McpTokenClaimRequest = Static<typeof McpTokenClaimRequest>;

/**
 * What an executor does at an authorization server: fetches tokens for a code, renews them, or revokes them. `claim`
 * fences earlier executors.
 */
export const McpTokenClaim = Type.Object(
  {
    tenant_id: idSchema('tenant'),
    connection_id: idSchema('connection'),
    claim: Type.Integer({ minimum: 1 }),
    work: Type.Enum(['exchange', 'refresh', 'revoke']),
    /** INVARIANT (who issued it): what is sealed goes to this authorization server, and to no other */
    issuer: Type.String({ maxLength: 1_024 }),
    client_id: Type.String({ maxLength: 512 }),
    resource: Type.String({ maxLength: 1_024 }),
    redirect_uri: orNull(Url),
    /** what the work needs, each sealed for `tokenWorkContext`, base64 */
    sealed: Type.Object(
      {
        client_secret: Type.Optional(Sealed),
        code: Type.Optional(Sealed),
        verifier: Type.Optional(Sealed),
        refresh_token: Type.Optional(Sealed),
        access_token: Type.Optional(Sealed),
      },
      closed,
    ),
    report_key: Type.String({ maxLength: 64, description: 'X25519, base64: tokens are sealed to it' }),
  },
  closed,
);
export type McpTokenClaim = Static<typeof McpTokenClaim>;
export const McpTokenClaimReply = Type.Object({ v: Type.Literal(1), claim: orNull(McpTokenClaim) }, closed);
export type McpTokenClaimReply = Static<typeof McpTokenClaimReply>;

const Token = Type.String({ pattern: '^[!-~]+$', maxLength: MCP_CONNECTION_LIMITS.tokenChars });
/** The tokens that an authorization server gave, as they are sealed. Attacker-controlled. */
export const McpPersonTokens = Type.Object(
  {
    access_token: Token,
    /** null: the server gave none, so the earlier one stays */
    refresh_token: orNull(Token),
    /** seconds; null: the server doesn't say */
    expires_in: orNull(Type.Integer({ minimum: 0, maximum: 10 * 365 * 86_400 })),
    /** null: what was asked for; each as RFC 6749 §3.3 has it */
    scopes: orNull(Type.Array(Type.String({ pattern: '^[!#-\\[\\]-~]+$', maxLength: 128 }), { maxItems: 128 })),
  },
  closed,
);
export type McpPersonTokens = Static<typeof McpPersonTokens>;

/** executor → kernel: `kernel.mcp_token.report` → McpTokenReportReply. A revocation that succeeded has neither. */
export const McpTokenReportRequest = Type.Object(
  {
    v: Type.Literal(1),
    executor_id: idSchema('executor'),
    tenant_id: idSchema('tenant'),
    connection_id: idSchema('connection'),
    claim: Type.Integer({ minimum: 1 }),
    tokens: orNull({
      ...Sealed,
      description: 'the JSON of McpPersonTokens, sealed for `reportedTokensContext`, base64',
    }),
    problem: orNull(McpProblem),
    /** the authorization server refuses the code or the refresh token itself: it would refuse it again */
    final: Type.Boolean(),
  },
  closed,
);
export type McpTokenReportRequest = Static<typeof McpTokenReportRequest>;
/**
 * `counted` false: the claim is another executor's, or the connection ended. Then nothing was written. The same report
 * of tokens is answered with true again: its first reply may be lost.
 */
export const McpTokenReportReply = Type.Object({ v: Type.Literal(1), counted: Type.Boolean() }, closed);
export type McpTokenReportReply = Static<typeof McpTokenReportReply>;
