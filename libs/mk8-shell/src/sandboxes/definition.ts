// SPDX-License-Identifier: Apache-2.0
import { pointerOf, schemaProblems } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { problemAt, type Problem } from '../problem.ts';
import { rulesOf, RulesError, type Rules } from '../rules/rules.ts';
import { RuleSet } from '../rules/schema.ts';
import { shapeProblems } from '../script/parse.ts';
import type { Operation } from '../script/script.ts';

const closed = { additionalProperties: false } as const;
const ID = '^[a-z][a-z0-9._-]{0,63}$';

/** The limits of a sandbox: as much as a person can read through. */
export const SANDBOX_LIMITS = { bytes: 128 * 1024, fragments: 64, templates: 512 } as const;

/** The registered shape; schemas of their own check its rules and fragments, with better messages. */
const Shape = Type.Object(
  {
    workspace_id: Type.String({
      pattern: '^wsp_[0-7][0-9a-hjkmnp-tv-z]{25}$',
      description: 'the workspace that its scripts run in',
    }),
    rules: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'what it adds to the shipped rules: blacklist, templates, words, write_blocked, environment, urls',
      }),
    ),
    enabled_templates: Type.Optional(
      Type.Union(
        [
          Type.Array(Type.String({ pattern: ID }), { maxItems: SANDBOX_LIMITS.templates, uniqueItems: true }),
          Type.Null(),
        ],
        { description: 'the only templates that ProcRun may use; null: all' },
      ),
    ),
    fragments: Type.Optional(
      Type.Record(Type.String({ pattern: ID }), Type.Array(Type.Unknown(), { minItems: 1 }), {
        ...closed,
        maxProperties: SANDBOX_LIMITS.fragments,
        description: 'operations by the name that Include gives',
      }),
    ),
  },
  closed,
);
const SHAPE = Compile(Shape);

/** A registered sandbox, without its name and its signed environment. */
export interface SandboxDefinition {
  readonly workspace_id: string;
  /** Its additions to the shipped rules. */
  readonly rules: Partial<Static<typeof RuleSet>>;
  /** The only templates that ProcRun may use; null: all. */
  readonly enabled_templates: readonly string[] | null;
  /** By the id in Include. */
  readonly fragments: Readonly<Record<string, readonly Operation[]>>;
}

/** `rules`: the shipped ones with the sandbox's additions. */
export type DefinitionRead =
  | { readonly definition: SandboxDefinition; readonly rules: Rules; readonly problems: readonly [] }
  | { readonly definition: null; readonly problems: readonly Problem[] };

/** Parses a value as a sandbox, with all faults at once, each at its JSON pointer. Attacker-controlled. */
export function readDefinition(value: unknown): DefinitionRead {
  if (!SHAPE.Check(value))
    return {
      definition: null,
      problems: schemaProblems(SHAPE.Type(), value).map(({ pointer, message }) => problemAt(pointer, message)),
    };
  const { workspace_id, rules = {}, enabled_templates = null, fragments = {} } = value;
  const definition = { workspace_id, rules, enabled_templates, fragments } as SandboxDefinition;
  const { rules: whole, problems: wrong } = rulesRead(definition);
  const problems = [
    ...wrong,
    ...Object.entries(fragments).flatMap(([id, operations]) => fragmentProblems(id, operations)),
  ];
  if (problems.length === 0 && definitionBytes(definition).length > SANDBOX_LIMITS.bytes)
    problems.push(problemAt('', `it is longer than ${SANDBOX_LIMITS.bytes} bytes`));
  return problems.length > 0 || whole === null
    ? { definition: null, problems }
    : { definition, rules: whole, problems: [] };
}

/** The bytes over which a definition's digest is computed: RFC 8785. */
export const definitionBytes = (definition: SandboxDefinition): Uint8Array => canonicalBytes(definition);

/** Hex SHA-256 of those bytes. */
export const sandboxDefinitionDigest = (bytes: Uint8Array): string => sha256Hex(bytes);

function rulesRead({ rules, enabled_templates }: SandboxDefinition): {
  readonly rules: Rules | null;
  readonly problems: readonly Problem[];
} {
  try {
    return { rules: rulesOf(rules, enabled_templates), problems: [] };
  } catch (error) {
    if (!(error instanceof RulesError)) throw error;
    return {
      rules: null,
      problems: error.problems.map(({ pointer, message }) =>
        problemAt(pointer.startsWith('/enabled_templates') ? pointer : `/rules${pointer}`, message),
      ),
    };
  }
}

function fragmentProblems(id: string, operations: readonly unknown[]): Problem[] {
  return shapeProblems({ operations }).map(({ pointer, message }) =>
    problemAt(`${pointerOf('fragments', id)}${pointer.slice('/operations'.length)}`, message),
  );
}
