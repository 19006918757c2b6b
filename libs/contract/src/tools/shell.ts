// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { LIMITS } from '../limits.ts';
import {
  COMMAND_MS_DEFAULT,
  READS_SECRETS_LABELS,
  SANDBOX_LIMITS,
  timeArgument,
  type ToolDefinition,
} from './definition.ts';

export const SHELL_RUN: ToolDefinition = {
  tool_id: 'shell.run',
  version: 8,
  description:
    'Runs a bash command in a disposable container on the workspace. A non-zero exit status rolls everything back unless `on_failure` is `keep`. `${secret:NAME}` in the command stands for a secret that the token grants.',
  category: 'write',
  class: 'sandboxed',
  mutating: true,
  accepts_secrets: ['command'],
  labels: READS_SECRETS_LABELS,
  limits: SANDBOX_LIMITS,
  parameters: Type.Object(
    {
      command: Type.String({ minLength: 1, maxLength: 65_536 }),
      cwd: Type.Optional(Type.String({ maxLength: 4096, description: 'a directory of the workspace' })),
      timeout_ms: timeArgument(String(COMMAND_MS_DEFAULT)),
      idle_ms: Type.Optional(
        Type.Integer({
          minimum: 1_000,
          maximum: LIMITS.commandMs.max,
          description: 'ends the command when it says nothing for so long, until its output is cut; never by default',
        }),
      ),
      stdin: Type.Optional(Type.String({ maxLength: 262_144 })),
      on_failure: Type.Optional(
        Type.Union([Type.Literal('rollback'), Type.Literal('keep')], { description: 'rollback by default' }),
      ),
    },
    { additionalProperties: false },
  ),
  result: Type.Object(
    {
      exit_code: Type.Union([Type.Integer(), Type.Null()]),
      signal: Type.Union([Type.String(), Type.Null()]),
      output: Type.String({
        description:
          'stdout and stderr in the order in which they were read: two writes to different streams within a millisecond may be the other way round',
      }),
      output_bytes: Type.Optional(
        Type.Integer({ description: 'bytes that the command wrote in all; there where some were cut off' }),
      ),
      output_lines: Type.Optional(
        Type.Integer({
          description: 'lines of all that the command wrote; there where some was cut off, and where all were counted',
        }),
      ),
      output_lossy: Type.Optional(
        Type.Literal(true, {
          description: 'there where the output held bytes that are not UTF-8, or NUL; they show as U+FFFD',
        }),
      ),
      truncated_bytes: Type.Integer({ description: 'bytes of output that were cut off' }),
      wall_ms: Type.Integer(),
    },
    { additionalProperties: false },
  ),
  // The files of a command can't be known from its text; at least its working directory must be readable.
  resources: (args) => (typeof args['cwd'] === 'string' ? [{ kind: 'fs', access: 'read', path: args['cwd'] }] : []),
};
