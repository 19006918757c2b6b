// SPDX-License-Identifier: Apache-2.0
//
// A sandbox as its registrar signed it: environment, fragments, rules and workspace under one signature (Ed25519 in a
// DSSE envelope).
// INVARIANT (signed whole): no part of a sandbox is read, and no script is judged by it, before the signature over all
// of it is verified.
// INVARIANT (signed for one place): a signature is valid for one sandbox of one tenant.
import { canonicalBytes, parseIJson, sha256Hex, JsonError, type JsonValue } from '@writ/digest';
import { SignatureError, sealEnvelope, verifyEnvelope, type Envelope, type Signer, type Verifier } from '@writ/signing';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { EnvironmentError, ENVIRONMENT_BYTES_MAX, parseEnvironment } from '../rules/environment.ts';
import type { ReadSandbox, SandboxData } from '../rules/sandbox.ts';
import { readDefinition, sandboxDefinitionDigest, type SandboxDefinition } from './definition.ts';

/** The payload type of a registrar's signatures, which no other statement uses. */
export const SANDBOX_PAYLOAD_TYPE = 'application/vnd.writ.sandbox.v1+json';
/** Levels of JSON: those of a script, within an object of fragments. */
const DEPTH_MAX = 40;

/** A registrar's statement about a sandbox. */
export const SandboxStatement = Type.Object(
  {
    v: Type.Literal(1),
    tenant_id: Type.String({ minLength: 1, maxLength: 64 }),
    sandbox: Type.String({ minLength: 1, maxLength: 64, description: 'its name' }),
    definition_digest: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'hex SHA-256 of the RFC 8785 bytes of workspace, rules, templates and fragments',
    }),
    environment: Type.String({
      maxLength: ENVIRONMENT_BYTES_MAX,
      description: 'lines `KEY=VALUE`; `#` begins a comment',
    }),
    signed_at: Type.Integer({
      minimum: 0,
      description: 'milliseconds since the epoch, by the clock of whoever signed: later ones replace earlier ones',
    }),
  },
  { additionalProperties: false },
);
export type SandboxStatement = Static<typeof SandboxStatement>;
const STATEMENT = Compile(SandboxStatement);

/** The sandbox differs from what its registrar signed. Nothing runs in it then. */
export class SignedSandboxError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SignedSandboxError';
  }
}

/** A stored sandbox, before verification. */
export interface StoredSandbox {
  readonly tenantId: string;
  readonly name: string;
  /** RFC 8785 */
  readonly definition: Uint8Array;
  readonly envelope: Envelope;
}

/** The inputs of a sandbox: its definition, the registrar's statement, and the key of the signature. */
export interface SandboxSource {
  /** RFC 8785 */
  readonly definition: Uint8Array;
  /** the signed payload */
  readonly statement: Uint8Array;
  readonly keyid: string;
}

/** A sandbox with a verified signature. */
export interface SignedSandbox extends ReadSandbox {
  readonly workspace_id: string;
  readonly definition: SandboxDefinition;
  readonly source: SandboxSource;
  /**
   * Hex SHA-256 over all inputs of a decision about a script: definition, statement, key. Any other state of the
   * sandbox has another digest.
   */
  readonly digest: string;
  readonly keyid: string;
  /** milliseconds since the epoch, by the registrar's clock */
  readonly signed_at: number;
}

/**
 * Signs a sandbox. The private key stays in this process.
 * @throws EnvironmentError for an invalid environment
 */
export function signSandbox(statement: SandboxStatement, signer: Signer): Envelope {
  parseEnvironment(statement.environment);
  return sealEnvelope(SANDBOX_PAYLOAD_TYPE, canonicalBytes(statement), signer);
}

/**
 * Verifies a stored sandbox against the keys of its tenant's registrars, and parses it. All inputs but the keys are
 * attacker-controlled.
 * @throws SignedSandboxError where it differs from what a registrar signed for this sandbox
 */
export function verifySandbox(
  { tenantId, name, definition, envelope }: StoredSandbox,
  registrars: ReadonlyMap<string, Verifier>,
): SignedSandbox {
  return readSignedSandbox(
    { definition, statement: verifiedPayload(envelope, registrars), keyid: envelope.signatures[0]?.keyid ?? '' },
    { tenantId, name },
  );
}

/**
 * Parses a sandbox from its signed parts. It verifies no signature: callers MUST have its `digest` from a verifier, for
 * example in a permit, and MUST compare it.
 * @throws SignedSandboxError
 */
export function readSignedSandbox(
  source: SandboxSource,
  { tenantId, name }: Pick<StoredSandbox, 'tenantId' | 'name'>,
): SignedSandbox {
  const { definition: bytes, keyid } = source;
  const statement = statementOf(source.statement);
  if (statement.tenant_id !== tenantId || statement.sandbox !== name)
    throw refused('it was signed for another sandbox');
  if (statement.definition_digest !== sandboxDefinitionDigest(bytes))
    throw refused('its workspace, rules or fragments are not the ones that were signed');
  const read = readDefinition(jsonOf(bytes));
  if (read.definition === null)
    throw refused(
      `this version can't read it: ${read.problems.map(({ pointer, message }) => `${pointer}: ${message}`).join('; ')}`,
    );
  const { definition, rules } = read;
  return {
    name,
    workspace_id: definition.workspace_id,
    definition,
    source,
    environment: environmentOf(statement),
    rules,
    fragments: new Map(Object.entries(definition.fragments)),
    digest: sha256Hex(
      canonicalBytes({
        v: 1,
        definition: statement.definition_digest,
        statement: sha256Hex(canonicalBytes(statement)),
        keyid,
      }),
    ),
    keyid,
    signed_at: statement.signed_at,
  };
}

/** The data of the sandbox for the process that runs a script in it. */
export const dataOf = ({
  name,
  environment,
  definition: { rules, enabled_templates, fragments },
}: SignedSandbox): SandboxData => ({
  name,
  environment: Object.fromEntries(environment),
  rules,
  enabled_templates,
  fragments,
  skills: [],
});

const refused = (message: string, options?: ErrorOptions): SignedSandboxError =>
  new SignedSandboxError(message, options);

function verifiedPayload(envelope: Envelope, registrars: ReadonlyMap<string, Verifier>): Uint8Array {
  try {
    return verifyEnvelope(envelope, registrars, SANDBOX_PAYLOAD_TYPE);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw refused(
      error.reason === 'unknown_key'
        ? "no registrar's key that is good signed it"
        : 'it is not what its registrar signed',
      { cause: error },
    );
  }
}

function statementOf(bytes: Uint8Array): SandboxStatement {
  const statement = jsonOf(bytes);
  if (!STATEMENT.Check(statement)) throw refused('what was signed is no sandbox of this version');
  return statement as SandboxStatement;
}

function jsonOf(bytes: Uint8Array): JsonValue {
  try {
    return parseIJson(bytes, { depthMax: DEPTH_MAX });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw refused('it is no JSON that Writ takes', { cause: error });
  }
}

function environmentOf({ environment }: SandboxStatement): ReadonlyMap<string, string> {
  try {
    return parseEnvironment(environment);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    throw refused(error.message, { cause: error });
  }
}
