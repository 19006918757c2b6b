// SPDX-License-Identifier: Apache-2.0
// The parts of the policy guide that are generated from `libs/policy`.
import { TOOLS } from '@writ/contract';
import {
  compilePolicySet,
  CONTEXT_ATTRIBUTES,
  DEFAULT_POLICY,
  HistoryRule,
  OBSERVE_POLICY,
  POLICY_TEMPLATES,
  PolicyDocument,
  policySchema,
  STRICT_POLICY,
  type PolicySetSource,
} from '@writ/policy';
import { code, table } from './table.ts';

interface Schema {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
}

const SHIPPED: readonly PolicySetSource[] = [DEFAULT_POLICY, STRICT_POLICY, OBSERVE_POLICY];
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

function spanOf(ms: number): string {
  const [unit, size] = UNITS.find(([, length]) => ms % length === 0) as (typeof UNITS)[number];
  return `${ms / size} ${unit}`;
}

/** Values with a default, by their path in the document. */
function leavesOf(schema: Schema, place: readonly string[] = []): [string[], Schema][] {
  if (schema.default !== undefined) return [[[...place], schema]];
  return Object.entries(schema.properties ?? {}).flatMap(([name, part]) => leavesOf(part, [...place, name]));
}

function valueAt(document: unknown, place: readonly string[]): string {
  const value = place.reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], document);
  if (typeof value === 'number' && place.at(-1)?.endsWith('_ms')) return spanOf(value);
  if (value === null) return 'never';
  if (Array.isArray(value))
    return value.length === 0 ? 'none' : value.map(({ id }: { id: string }) => code(id)).join(', ');
  return typeof value === 'object' ? 'none' : String(value);
}

/** Every threshold, quorum and time to live, in each shipped set. */
export function policyDefaultsTable(): string {
  const documents = SHIPPED.map((source) => compilePolicySet(source).document);
  const rows = leavesOf(PolicyDocument as Schema).filter(([[first]]) => first !== 'description');
  return table(
    ['value', ...SHIPPED.map(({ name }) => code(name)), 'what it says'],
    rows.map(([place, { description }]) => [
      code(place.join('.')),
      ...documents.map((document) => valueAt(document, place)),
      description ?? '',
    ]),
  );
}

export function policyContextTable(): string {
  return table(
    ['attribute', 'type', 'what it says'],
    Object.entries(CONTEXT_ATTRIBUTES).map(([name, [type, words]]) => [code(`context.${name}`), code(type), words]),
  );
}

export const policySchemaText = (): string => `\`\`\`\n${policySchema(TOOLS.values())}\n\`\`\``;

function rulesTable(source: PolicySetSource): string {
  const {
    rules,
    document: { history },
  } = compilePolicySet(source);
  return table(
    ['rule', 'kind', 'why', 'what would have passed'],
    [
      ...[...rules.values()].map(({ id, effect, reason, would_pass }) => [code(id), effect, reason, would_pass ?? '']),
      ...history.map(({ id, kind, then, reason }) => [code(id), `${code(kind)}, ${then}`, reason, '']),
    ],
  );
}
export const defaultRulesTable = (): string => rulesTable(DEFAULT_POLICY);
export const strictRulesTable = (): string => rulesTable(STRICT_POLICY);

/** The fields of history rules; each kind has the common ones (`id`, `tools` and so on) and its own. */
export function historyFieldsTable(): string {
  const kinds = (HistoryRule as Schema).anyOf ?? [];
  const kindOf = (schema: Schema): string => String((schema.properties?.['kind'] as { const?: string }).const);
  const fields = new Map(
    kinds.flatMap((schema) => Object.entries(schema.properties ?? {})).filter(([name]) => name !== 'kind'),
  );
  return table(
    ['field', 'of', 'what it says'],
    [...fields].map(([name, { description }]) => {
      const having = kinds.filter(({ properties }) => properties?.[name] !== undefined);
      return [
        code(name),
        having.length === kinds.length ? 'all' : having.map((schema) => code(kindOf(schema))).join(', '),
        description ?? '',
      ];
    }),
  );
}

export function policyTemplatesTable(): string {
  return table(
    ['template', 'parameters', 'what it is for'],
    [...POLICY_TEMPLATES.values()].map(({ id, description, parameters }) => [
      code(id),
      Object.entries(parameters.properties as Record<string, Schema>)
        .map(([name, { default: value }]) => (value === undefined ? `**${code(name)}**` : code(name)))
        .join(', '),
      description,
    ]),
  );
}
