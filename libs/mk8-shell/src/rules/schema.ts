// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';

const closed = { additionalProperties: false } as const;
const Id = Type.String({ pattern: '^[a-z][a-z0-9._-]{0,63}$' });

/** A text that no argument may contain. */
export const BlacklistEntry = Type.Object(
  {
    id: Id,
    kind: Type.Enum(['word', 'substring', 'regex'], {
      description: 'word: with no letter, digit or underscore beside it; regex: in RE2 syntax. All ignore case',
    }),
    pattern: Type.String({ minLength: 1, maxLength: 500 }),
    scope: Type.Enum(['everywhere', 'process'], { description: 'process: in arguments of ProcRun alone' }),
    reason: Type.String({ minLength: 1, maxLength: 200, description: 'what it would do, for the message' }),
  },
  closed,
);
export type BlacklistEntry = Static<typeof BlacklistEntry>;

const many = {
  optional: Type.Optional(Type.Literal(true)),
  most: Type.Optional(Type.Integer({ minimum: 2, maximum: 62, description: 'the slot repeats so often at most' })),
};

/** One part of a command: a literal word, or a slot. */
export const TemplatePart = Type.Union([
  Type.String({ minLength: 1 }),
  Type.Object({ slot: Type.Literal('choice'), of: Type.Array(Type.String(), { minItems: 1 }), ...many }, closed),
  Type.Object({ slot: Type.Literal('path'), access: Type.Enum(['read', 'write', 'delete']), ...many }, closed),
  Type.Object({ slot: Type.Enum(['word', 'words']), list: Id, ...many }, closed),
  Type.Object({ slot: Type.Literal('int'), min: Type.Integer(), max: Type.Integer(), ...many }, closed),
  Type.Object({ slot: Type.Enum(['name', 'url', 'text']), ...many }, closed),
  Type.Object(
    {
      slot: Type.Literal('branch'),
      protected: Type.Boolean({ description: 'whether a protected branch may be named' }),
      ...many,
    },
    closed,
  ),
]);
export type TemplatePart = Static<typeof TemplatePart>;

/** A command that ProcRun may start. */
export const CommandTemplate = Type.Object(
  {
    id: Id,
    binary: Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,31}$' }),
    parts: Type.Array(TemplatePart, { maxItems: 64 }),
    effect: Type.Enum(['read', 'write', 'network']),
    unprotected_head: Type.Optional(Type.Literal(true, { description: 'refused while HEAD is on a protected branch' })),
    summary: Type.String({ minLength: 1, maxLength: 200 }),
  },
  closed,
);
export type CommandTemplate = Static<typeof CommandTemplate>;

export const WordList = Type.Object(
  {
    name: Id,
    summary: Type.String({ minLength: 1 }),
    words: Type.Array(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9:._-]{0,63}$' }), {
      minItems: 1,
      uniqueItems: true,
    }),
  },
  closed,
);
export type WordList = Static<typeof WordList>;

export const WriteBlocked = Type.Object(
  {
    names: Type.Array(Type.String({ minLength: 1 }), {
      uniqueItems: true,
      description: 'of files, whatever their case',
    }),
    extensions: Type.Array(Type.String({ pattern: '^\\.[a-z0-9]+$' }), { uniqueItems: true }),
  },
  closed,
);
export type WriteBlocked = Static<typeof WriteBlocked>;

export const EnvironmentRules = Type.Object(
  {
    allowed: Type.Array(Type.String({ pattern: '^[A-Z_][A-Z0-9_]*$' }), {
      uniqueItems: true,
      description: 'variables of the machine that may be read',
    }),
    blocked: Type.Array(Type.String({ pattern: '^[A-Z_]+$' }), {
      uniqueItems: true,
      description: 'no name that holds one of these is ever read',
    }),
  },
  closed,
);
export type EnvironmentRules = Static<typeof EnvironmentRules>;

/**
 * All rules of a sandbox as data; published as docs/schemas/mk8-rules.v1.json. A sandbox's additions have the same
 * shape.
 */
export const RuleSet = Type.Object(
  {
    blacklist: Type.Array(BlacklistEntry),
    templates: Type.Array(CommandTemplate),
    words: Type.Array(WordList),
    write_blocked: WriteBlocked,
    environment: EnvironmentRules,
    urls: Type.Array(Type.String({ pattern: '^https://[^?#]+$' }), {
      description: 'what git may clone, and add as a remote',
    }),
  },
  { ...closed, title: 'Rules of a sandbox of mk8.shell, version 1' },
);
export type RuleSet = Static<typeof RuleSet>;
