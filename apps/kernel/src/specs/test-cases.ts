// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { Grant } from '@writ/contract';
import { HistoryRule } from '@writ/policy';
import { Type, type Static } from 'typebox';
import { Parse } from 'typebox/value';
import { parse } from 'yaml';

const closed = { additionalProperties: false } as const;
const Words = Type.Optional(Type.Array(Type.String()));
const Call = Type.Record(Type.String(), Type.Unknown());
const Policy = Type.Optional(Type.String({ description: 'a shipped set by its name, or rules' }));
const History = Type.Optional(Type.Array(HistoryRule));

const Token = Type.Object(
  {
    tools: Words,
    fs: Type.Optional(
      Type.Array(Type.Object({ path: Type.String(), read: Type.Boolean(), write: Type.Boolean() }, closed)),
    ),
    budgets: Type.Optional(Type.Record(Type.String(), Type.Integer())),
    effects: Type.Optional(Grant.properties.effects),
    revoked: Type.Optional(Type.Literal(true)),
    not_before_in_ms: Type.Optional(Type.Integer()),
    expires_in_ms: Type.Optional(Type.Integer()),
    of: Type.Optional(Type.Literal('another agent')),
    given: Type.Optional(Type.Literal('by another agent')),
  },
  closed,
);

const Sandbox = Type.Object(
  {
    enabled_templates: Words,
    rules: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    fragments: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    environment: Type.Optional(Type.String()),
    signed: Type.Optional(Type.Literal(false)),
    revoked: Type.Optional(Type.Literal(true)),
    of: Type.Optional(Type.Literal('another workspace')),
  },
  closed,
);

/** One row of apps/kernel/cases/decisions, as refusals.yaml explains it. */
export const Case = Type.Object(
  {
    when: Type.String({ minLength: 1 }),
    policy: Policy,
    observes: Type.Optional(Type.Literal(true)),
    history: History,
    token: Type.Optional(Token),
    before: Type.Optional(Type.Array(Call)),
    labels: Words,
    workspace_labels: Words,
    frozen: Type.Optional(Type.Enum(['tenant', 'agent', 'tool'])),
    sandbox: Type.Optional(Sandbox),
    call: Type.Optional(Call),
    tool: Type.Optional(Type.String()),
    effect: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]))),
    meanwhile: Type.Optional(Type.Enum(['revoked', 'frozen', 'policy'])),
    then: Type.Enum(['admitted', 'held', 'refused', 'committed', 'rolled_back']),
    code: Type.Optional(Type.String()),
    mode: Type.Optional(Type.String()),
    reasons: Words,
    basis: Words,
    hint: Type.Optional(Type.String()),
    record: Words,
  },
  closed,
);
export type Case = Static<typeof Case>;

const Groups = Type.Array(
  Type.Object(
    { title: Type.String(), policy: Policy, history: History, cases: Type.Array(Case, { minItems: 1 }) },
    closed,
  ),
  { minItems: 1 },
);

const folder = new URL('../../cases/decisions/', import.meta.url);

/** Every group of every file; a policy of a group is that of its cases. */
export const CASE_GROUPS: readonly { readonly title: string; readonly cases: readonly Case[] }[] = readdirSync(folder)
  .sort()
  .flatMap((file) =>
    Parse(Groups, parse(readFileSync(new URL(file, folder), 'utf8'))).map(({ title, policy, history, cases }) => ({
      title: `${file}: ${title}`,
      cases: cases.map((one) => ({
        ...(policy === undefined ? {} : { policy }),
        ...(history === undefined ? {} : { history }),
        ...one,
      })),
    })),
  );
