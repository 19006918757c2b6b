// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { SCRIPT_LIMITS } from '../limits.ts';
import { TIME_SPAN } from './time-span.ts';

const closed = { additionalProperties: false } as const;
const span = (description: string) => Type.Optional(Type.String({ pattern: TIME_SPAN, description }));
const retries = Type.Optional(
  Type.Integer({ minimum: 0, maximum: SCRIPT_LIMITS.retries, description: 'attempts beyond the first' }),
);

export const PREDICATE_KINDS = [
  'PrevContains',
  'PrevEmpty',
  'PrevStartsWith',
  'PrevEndsWith',
  'PrevEquals',
  'PrevMatch',
  'PrevLineCount',
  'CaptureEmpty',
  'CaptureContains',
  'EnvEquals',
  'FileExists',
  'DirExists',
] as const;
export type PredicateKind = (typeof PREDICATE_KINDS)[number];

export const FAILURE_MODES = ['StopOnFirstError', 'ContinueOnError', 'StopAndCleanup'] as const;
export type FailureMode = (typeof FAILURE_MODES)[number];

const Predicate = Type.Object(
  { kind: Type.Enum([...PREDICATE_KINDS]), args: Type.Optional(Type.Array(Type.String(), { maxItems: 2 })) },
  closed,
);

const Template = Type.Object(
  {
    source: Type.String({ description: 'path of the file with `{{KEY}}` placeholders' }),
    values: Type.Record(Type.String(), Type.String(), {
      maxProperties: SCRIPT_LIMITS.templateKeys,
      description: 'by key; no `$` in a value',
    }),
  },
  closed,
);

const Patch = Type.Object({ find: Type.String({ minLength: 1 }), replace: Type.String() }, closed);

/** The fields that an operation may have besides its verb; the verb determines which of them it needs. */
const operationOf = <Inner extends ReturnType<typeof Type.Ref>>(inner: Inner) =>
  Type.Object(
    {
      verb: Type.String({ minLength: 1, maxLength: 64 }),
      args: Type.Optional(
        Type.Array(Type.String(), { maxItems: 128, description: 'may be left out for a verb that takes none' }),
      ),
      maxRetries: retries,
      stepTimeout: span('how long one attempt may take'),
      label: Type.Optional(Type.String({ minLength: 1, maxLength: SCRIPT_LIMITS.labelChars })),
      onFailure: Type.Optional(
        Type.String({ pattern: '^goto:.+$', description: '`goto:` and the label of a later operation' }),
      ),
      captureAs: Type.Optional(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$' })),
      template: Type.Optional(Template),
      patches: Type.Optional(Type.Array(Patch, { minItems: 1, maxItems: SCRIPT_LIMITS.patches })),
      forEach: Type.Optional(
        Type.Object(
          { items: Type.Array(Type.String(), { minItems: 1, maxItems: SCRIPT_LIMITS.forEachItems }), body: inner },
          closed,
        ),
      ),
      if: Type.Optional(Type.Object({ predicate: Predicate, then: inner }, closed)),
    },
    closed,
  );

const Operations = Type.Cyclic({ Operation: operationOf(Type.Ref('Operation')) }, 'Operation');

/** Settings of a script; omitted ones have their default. */
export const ScriptOptionsSchema = Type.Object(
  {
    maxRetries: retries,
    retryDelay: span('before the second attempt; doubles with each'),
    stepTimeout: span('how long one attempt may take'),
    scriptTimeout: span('how long everything may take'),
    failureMode: Type.Optional(Type.Enum([...FAILURE_MODES])),
    maxOutputBytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 16_777_216, description: 'of one step' })),
    maxErrorBytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 16_777_216, description: 'of one step' })),
    pipeStepOutput: Type.Optional(Type.Boolean({ description: 'gives `$PREV` its meaning' })),
  },
  closed,
);

/** A script of mk8.shell; published as docs/schemas/mk8-script.v1.json. */
export const ScriptSchema = Type.Object(
  {
    operations: Type.Array(Operations, { minItems: 1, maxItems: SCRIPT_LIMITS.operations }),
    options: Type.Optional(ScriptOptionsSchema),
    cleanup: Type.Optional(Type.Array(Operations, { maxItems: SCRIPT_LIMITS.operations })),
  },
  { ...closed, title: 'Script of mk8.shell, version 1' },
);
