// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { Sha256Hex } from '../ids.ts';
import { Envelope } from '../permit.ts';
import { Caller, Page } from './operations.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const asked = { v: Type.Literal(1), caller: Caller } as const;

/** A sandbox of mk8.shell, by what scripts' callers write. */
export const SANDBOX_NAME = '^[a-z0-9][a-z0-9._-]{0,63}$';
export const SandboxName = Type.String({
  pattern: SANDBOX_NAME,
  description: 'one to 64 small letters, digits, `.`, `_`, `-`',
});
/** The RFC 7638 thumbprint of an Ed25519 key. */
export const KEYID = '^[A-Za-z0-9_-]{43}$';
const Keyid = Type.String({ pattern: KEYID });
/** Named in a question: what was never a name is not there. */
const Named = Type.String({ minLength: 1, maxLength: 128 });

/** What is told of a sandbox in a list. */
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
export const SandboxWhole = Type.Object(
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
export type SandboxWhole = Static<typeof SandboxWhole>;

/**
 * What became of a sandbox that was sent: it is registered, or everything that is wrong is told and nothing has
 * changed.
 */
export const SandboxPut = Type.Object(
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
export type SandboxPut = Static<typeof SandboxPut>;

/** A public key whose private half signs sandboxes. */
export const RegistrarKeyView = Type.Object(
  {
    keyid: Keyid,
    public_key: Type.Object({ kty: Type.Literal('OKP'), crv: Type.Literal('Ed25519'), x: Keyid }, closed),
    note: orNull(Type.String()),
    state: Type.Enum(['active', 'retired', 'revoked'], {
      description: 'retired: what it signed stands, and it signs nothing more; revoked: nothing that it signed stands',
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
  /** → SandboxPut: of a definition of any shape. Another definition than stands loses its signature */
  'sandbox.put': Type.Object(
    { ...asked, name: SandboxName, definition: Type.Record(Type.String(), Type.Unknown()) },
    closed,
  ),
  /**
   * → SandboxWhole: the sandbox as it is now, under its registrar's signature. `sandbox.unverified` for one that isn't
   * of it
   */
  'sandbox.sign': Type.Object({ ...asked, name: Named, envelope: Envelope }, closed),
  /** → {items: SandboxView[], next_cursor}, by name */
  'sandbox.list': Type.Object({ ...asked, page: Page }, closed),
  /** → SandboxWhole */
  'sandbox.read': Type.Object({ ...asked, name: Named }, closed),
  /** → {removed: name} */
  'sandbox.remove': Type.Object({ ...asked, name: Named }, closed),
  /** → RegistrarKeyView; the same key put twice is put once, one that has ended is a `conflict` */
  'registrar.add': Type.Object(
    { ...asked, public_key: RegistrarKeyView.properties.public_key, note: orNull(Type.String({ maxLength: 1000 })) },
    closed,
  ),
  /** → {items: RegistrarKeyView[], next_cursor}, newest first */
  'registrar.list': Type.Object({ ...asked, page: Page }, closed),
  /** → RegistrarKeyView; ended twice it is ended once, and a retired key can still be revoked */
  'registrar.end': Type.Object({ ...asked, keyid: Named, as: Type.Enum(['retired', 'revoked']) }, closed),
} as const;
