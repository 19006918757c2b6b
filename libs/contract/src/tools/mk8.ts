// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { SANDBOX_LIMITS, READS_SECRETS_LABELS, timeArgument, type ToolDefinition } from './definition.ts';

const closed = { additionalProperties: false } as const;
/** Five minutes of a script and as much for its cleanup, which are the defaults of scripts, plus the transfer time. */
const WALL_MS = 630_000;

const Step = Type.Object(
  {
    verb: Type.String(),
    pointer: Type.String({ description: 'where it stands in the script, as a JSON pointer' }),
    status: Type.Enum(['ok', 'failed', 'timeout', 'skipped', 'not_run']),
    attempts: Type.Integer(),
    duration_ms: Type.Integer(),
    output: Type.String({ description: 'its beginning, with a notice where something was cut' }),
    error: Type.Union([Type.String(), Type.Null()]),
  },
  closed,
);

/** The compiler finds the resources of its script: see `scriptTool` in the library of the language. */
export const MK8_RUN: ToolDefinition = {
  tool_id: 'mk8.run',
  version: 3,
  description:
    'Runs a script of mk8.shell, a restricted command language without a shell, in a disposable container on the workspace. The whole script is checked before any of it runs. It is one transaction: a script that fails ' +
    'rolls everything back once its cleanup has run, and one that comes to its end commits. `Mk8Docs` is the verb that tells the language.',
  category: 'write',
  class: 'sandboxed',
  mutating: true,
  accepts_secrets: [],
  labels: READS_SECRETS_LABELS,
  limits: { ...SANDBOX_LIMITS, wall_ms: WALL_MS },
  parameters: Type.Object(
    {
      script: Type.Union(
        [Type.Object({ operations: Type.Array(Type.Unknown()) }), Type.String({ minLength: 2, maxLength: 1_048_576 })],
        { description: 'the script, or its text: what is wrong with a text is told by line and column' },
      ),
      sandbox: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          pattern: '^[a-z0-9][a-z0-9._-]*$',
          description: 'one that an administrator registered; `default` by default: what is shipped',
        }),
      ),
      resource: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: "the sandbox's resource, by id or name: refused unless it is that of `sandbox`",
        }),
      ),
      timeout_ms: timeArgument(String(WALL_MS)),
    },
    closed,
  ),
  result: Type.Object(
    {
      status: Type.Enum(['completed', 'failed', 'timeout'], {
        description: 'completed: it came to its end, failures that a goto or ContinueOnError took care of included',
      }),
      all_succeeded: Type.Boolean(),
      steps: Type.Array(Step),
      cleanup: Type.Array(Step),
      clipboard: Type.Optional(Type.String({ description: 'the text of the last ClipboardSet' })),
      duration_ms: Type.Integer(),
      omitted_steps: Type.Integer({ description: 'the last steps, where there was no room for them' }),
    },
    closed,
  ),
  resources: () => [],
};
