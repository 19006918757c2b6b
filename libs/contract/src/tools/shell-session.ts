// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { ContainerRef } from './containers.ts';
import { SANDBOX_LIMITS, READS_SECRETS_LABELS, type ToolDefinition } from './definition.ts';

const ASKS = ['command', 'input', 'ctrl', 'close'] as const;
const orNull = <T extends import('typebox').TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Longest wait of a call for its command, in milliseconds; the rest of the call's time is for the transfer. */
export const YIELD_MS = { default: 10_000, max: 60_000 } as const;

export const SHELL_SESSION: ToolDefinition = {
  tool_id: 'shell.session',
  version: 5,
  description:
    'Asks one thing of the bash of the session, which keeps its directory, variables and background jobs from call to call, on a terminal: ' +
    'runs a `command`, types `input` for the program that runs, presses `ctrl`, or with none of them waits for what comes. ' +
    'With `container` it is the bash of that container, which other sessions of yours find again. What changed in the workspace when the prompt is back is committed, whatever the exit status. A command that runs longer than `yield_ms` goes on, and later calls tell of it. `${secret:NAME}` in the command or the input stands for a secret that the token grants.',
  category: 'write',
  class: 'sandboxed',
  session: true,
  mutating: true,
  accepts_secrets: ['command', 'input'],
  labels: READS_SECRETS_LABELS,
  limits: SANDBOX_LIMITS,
  parameters: Type.Object(
    {
      command: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 65_536,
          description: "bash; starts the session's shell where there is none",
        }),
      ),
      input: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 4_096,
          description: 'typed as it is, no line end is added; only while a program runs',
        }),
      ),
      ctrl: Type.Optional(
        Type.Union([Type.Literal('c'), Type.Literal('d'), Type.Literal('z'), Type.Literal('\\')], {
          description: 'a key pressed with Control, while a program runs',
        }),
      ),
      container: Type.Optional(ContainerRef),
      close: Type.Optional(
        Type.Literal(true, {
          description: 'ends the shell and all that runs in it; what it has not committed is gone',
        }),
      ),
      yield_ms: Type.Optional(
        Type.Integer({
          minimum: 100,
          maximum: YIELD_MS.max,
          description: `how long to wait for the prompt, ${YIELD_MS.default} by default`,
        }),
      ),
      cols: Type.Optional(
        Type.Integer({ minimum: 10, maximum: 1_000, description: 'of the terminal from now on, with `rows`' }),
      ),
      rows: Type.Optional(Type.Integer({ minimum: 2, maximum: 1_000 })),
      ansi: Type.Optional(Type.Boolean({ description: 'output as a terminal gets it; false by default: plain text' })),
    },
    { additionalProperties: false },
  ),
  result: Type.Object(
    {
      running: Type.Boolean({ description: 'a command is under way' }),
      exit_code: orNull(Type.Integer({ description: 'of the command that ended in this call, or of the shell' })),
      output: Type.String({ description: 'what came since the call before' }),
      output_bytes: Type.Optional(
        Type.Integer({ description: 'bytes that came in all; there where some were cut off' }),
      ),
      output_lossy: Type.Optional(
        Type.Literal(true, {
          description: 'there where the output held bytes that are not UTF-8, or NUL; they show as U+FFFD',
        }),
      ),
      truncated_bytes: Type.Integer(),
      shell: Type.Union([Type.Literal('started'), Type.Literal('open'), Type.Literal('ended')], {
        description:
          'started: by this call; ended: by `exit`, `close` or a signal, and the next command starts another',
      }),
      wall_ms: Type.Integer(),
    },
    { additionalProperties: false },
  ),
  resources: () => [],
  targets: ({ container }) =>
    typeof container === 'string' ? [{ kind: 'container', ref: container, right: 'use', pointer: '/container' }] : [],
  faults: (args) => {
    const asked = ASKS.filter((name) => args[name] !== undefined);
    const [, second] = asked;
    if (second !== undefined)
      return [{ pointer: `/${second}`, message: `stands beside \`${String(asked[0])}\`: a call asks one thing` }];
    return (args['cols'] === undefined) === (args['rows'] === undefined)
      ? []
      : [{ pointer: '/cols', message: 'goes with `rows`' }];
  },
};
