// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { Sha256Hex } from '../ids.ts';
import { Envelope } from '../permit.ts';
import { conditional } from './if-match.ts';
import { Caller, Page } from './operations.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const asked = { v: Type.Literal(1), caller: Caller } as const;

/** The name of a sandbox of mk8.shell, as callers of scripts write it. */
export const SANDBOX_NAME = '^[a-z0-9][a-z0-9._-]{0,63}$';
export const SandboxName = Type.String({
  pattern: SANDBOX_NAME,
  description: 'one to 64 small letters, digits, `.`, `_`, `-`',
});
/** The RFC 7638 thumbprint of an Ed25519 key. */
export const KEYID = '^[A-Za-z0-9_-]{43}$';
const Keyid = Type.String({ pattern: KEYID });
/** A name in a request: an invalid one is simply not found. */
const Named = Type.String({ minLength: 1, maxLength: 128 });

/** A sandbox in a list. */
export const SandboxView = Type.Object(
  {
    name: SandboxName,
    workspace_id: Type.String(),
    definition_digest: Sha256Hex,
    keyid: orNull(
      Type.String({
        description: "of the registrar's key that signed it; null where nobody has signed it as it is now",
      }),
    ),
    signed_at: orNull(Type.Integer({ minimum: 0, description: 'as the registrar says' })),
    updated_by: Type.String({ description: 'the API key' }),
    created_at: Type.Integer({ minimum: 0 }),
    updated_at: Type.Integer({ minimum: 0 }),
  },
  closed,
);
export type SandboxView = Static<typeof SandboxView>;

/** A sandbox in full, and whether scripts run in it. */
export const SandboxDetails = Type.Object(
  {
    ...SandboxView.properties,
    tenant_id: Type.String({ description: 'a signature names it' }),
    definition: Type.Record(Type.String(), Type.Unknown(), {
      description: 'workspace_id, rules, enabled_templates, fragments',
    }),
    environment: orNull(
      Type.Record(Type.String(), Type.String(), {
        description: "as it was signed; null where its signature isn't good",
      }),
    ),
    digest: orNull(Type.String({ description: 'hex SHA-256 over all that a decision about a script rests on' })),
    problem: orNull(Type.String({ description: 'why no script runs in it; null where they do' })),
  },
  closed,
);
export type SandboxDetails = Static<typeof SandboxDetails>;

/** The result of sending a sandbox: it is registered, or all problems are reported and nothing has changed. */
export const SandboxPutReply = Type.Object(
  {
    valid: Type.Boolean(),
    problems: Type.Array(
      Type.Object(
        { pointer: Type.String({ description: 'JSON pointer of the place in what was sent' }), message: Type.String() },
        closed,
      ),
    ),
    sandbox: orNull(SandboxView),
  },
  closed,
);
export type SandboxPutReply = Static<typeof SandboxPutReply>;

/** A public key whose private half signs sandboxes. */
export const RegistrarKeyView = Type.Object(
  {
    keyid: Keyid,
    public_key: Type.Object({ kty: Type.Literal('OKP'), crv: Type.Literal('Ed25519'), x: Keyid }, closed),
    note: orNull(Type.String()),
    state: Type.Enum(['active', 'retired', 'revoked'], {
      description:
        'retired: its signatures stay valid, and it signs nothing more; revoked: none of its signatures is valid',
    }),
    created_by: Type.String(),
    created_at: Type.Integer({ minimum: 0 }),
    ended_by: orNull(Type.String()),
    ended_at: orNull(Type.Integer({ minimum: 0 })),
  },
  closed,
);
export type RegistrarKeyView = Static<typeof RegistrarKeyView>;

/** orchestrator → kernel, of a tenant's sandboxes and of the keys that sign them. */
export const SANDBOX_REQUESTS = {
  /** → SandboxPut: for a definition of any shape. A changed definition loses its signature */
  'sandbox.put': Type.Object(
    { ...asked, ...conditional, name: SandboxName, definition: Type.Record(Type.String(), Type.Unknown()) },
    closed,
  ),
  /**
   * → SandboxWhole: the current sandbox with its registrar's signature. `sandbox.unverified` for a signature of another
   * definition
   */
  'sandbox.sign': Type.Object({ ...asked, ...conditional, name: Named, envelope: Envelope }, closed),
  /** → {items: SandboxView[], next_cursor}, by name */
  'sandbox.list': Type.Object({ ...asked, page: Page }, closed),
  /** → SandboxWhole */
  'sandbox.read': Type.Object({ ...asked, name: Named }, closed),
  /** → {removed: name} */
  'sandbox.remove': Type.Object({ ...asked, ...conditional, name: Named }, closed),
  /** → RegistrarKeyView; putting the same key twice has no further effect, a key that has ended is a `conflict` */
  'registrar.add': Type.Object(
    { ...asked, public_key: RegistrarKeyView.properties.public_key, note: orNull(Type.String({ maxLength: 1000 })) },
    closed,
  ),
  /** → {items: RegistrarKeyView[], next_cursor}, newest first */
  'registrar.list': Type.Object({ ...asked, page: Page }, closed),
  /** → RegistrarKeyView; ending it twice has no further effect, and a retired key can still be revoked */
  'registrar.end': Type.Object({ ...asked, keyid: Named, as: Type.Enum(['retired', 'revoked']) }, closed),
} as const;
