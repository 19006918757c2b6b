// SPDX-License-Identifier: Apache-2.0
import { Type, type TString } from 'typebox';

/** The prefix of every identifier of Writ; one row per kind. */
export const ID_KINDS = {
  tenant: 'ten',
  agent: 'agt',
  apiKey: 'key',
  token: 'cap',
  workspace: 'wsp',
  session: 'ses',
  run: 'run',
  operation: 'op',
  permit: 'pmt',
  record: 'rec',
  approval: 'apr',
  executor: 'exe',
  log: 'log',
  request: 'req',
  notice: 'ntc',
  webhook: 'whk',
  delivery: 'dlv',
  resource: 'res',
  resourceGrant: 'rgr',
  externalVersion: 'xvr',
  freeze: 'frz',
  vote: 'vot',
  delegation: 'dlg',
  erasure: 'ers',
  job: 'job',
  jobStart: 'jst',
  image: 'img',
  identityProvider: 'idp',
  person: 'per',
  connection: 'con',
  signIn: 'sgn',
  budget: 'bgt',
  member: 'mbr',
  invitation: 'inv',
  channel: 'chn',
} as const;
export type IdKind = keyof typeof ID_KINDS;

declare const kindOf: unique symbol;
/** An identifier of kind `K`: `formatId` makes it, and `isId` checks it. */
export type Id<K extends IdKind> = string & { readonly [kindOf]?: K };

export type TenantId = Id<'tenant'>;
export type AgentId = Id<'agent'>;
export type OperationId = Id<'operation'>;

/** Crockford's base32 in lower case: no i, l, o, u, so that an id can be read aloud. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** 128 bits in groups of five: 26 characters, the first of which has three bits. */
const BODY = '[0-7][0-9a-hjkmnp-tv-z]{25}';

/**
 * The schema of an identifier of the kind: `<prefix>_<26 characters>`; safe as a NATS token, a file name and a URL
 * segment.
 */
export function idSchema(kind: IdKind): TString {
  return Type.String({ pattern: `^${ID_KINDS[kind]}_${BODY}$`, description: descriptionOf(kind) });
}

/** `the id of an API key: \`key_…\``. */
function descriptionOf(kind: IdKind): string {
  const words = kind === 'apiKey' ? 'API key' : kind.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `the id of ${/^[aeiou]/i.test(words) ? 'an' : 'a'} ${words}: \`${ID_KINDS[kind]}_…\``;
}

/** Formats 16 bytes of a UUIDv7 (RFC 9562 §5.7) as an identifier of the kind. Throws on any other length. */
export function formatId<K extends IdKind>(kind: K, uuid: Uint8Array): Id<K> {
  if (uuid.length !== 16) throw new Error(`an id takes 16 bytes, not ${uuid.length}`);
  let value = 0n;
  for (const byte of uuid) value = (value << 8n) | BigInt(byte);
  let body = '';
  for (let i = 0; i < 26; i++, value >>= 5n) body = ALPHABET.charAt(Number(value & 31n)) + body;
  return `${ID_KINDS[kind]}_${body}` as Id<K>;
}

/** Answers whether the text is an identifier of the kind. */
export function isId<K extends IdKind>(kind: K, text: unknown): text is Id<K> {
  return typeof text === 'string' && new RegExp(`^${ID_KINDS[kind]}_${BODY}$`).test(text);
}

/** The log of a tenant. There is one per tenant, so its id is the tenant's with another prefix. */
export function logIdOf(tenantId: TenantId): Id<'log'> {
  return `${ID_KINDS.log}_${tenantId.slice(ID_KINDS.tenant.length + 1)}` as Id<'log'>;
}

/** The tenant that a log belongs to; inverse of `logIdOf`. */
export function tenantIdOf(logId: Id<'log'>): TenantId {
  return `${ID_KINDS.tenant}_${logId.slice(ID_KINDS.log.length + 1)}` as TenantId;
}

/** Lower-case hex of a SHA-256. */
export const Sha256Hex = Type.String({ pattern: '^[0-9a-f]{64}$' });
/** An immutable state of a workspace, identified by the SHA-256 of its root node. */
export const SnapshotId = Type.String({ pattern: '^snap_[0-9a-f]{64}$' });
/** A change between two snapshots, identified by the SHA-256 of its canonical bytes. */
export const DeltaId = Type.String({ pattern: '^delta_[0-9a-f]{64}$' });
