// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { SANDBOX_LIMITS, READS_SECRETS_LABELS, timeArgument, type ToolDefinition } from './definition.ts';
import { gitWords } from './git-command.ts';
import { SHELL_RUN } from './shell.ts';
import { shellQuoted } from './shell-words.ts';

/** The interpreters of raw commands. */
export const RAW_SHELLS = ['Bash', 'PowerShell', 'CommandPrompt', 'Git'] as const;
export type RawShell = (typeof RAW_SHELLS)[number];

/** The name of an execution profile, as callers and tokens write it. */
export const PROFILE_NAME = '^[a-z0-9][a-z0-9._-]{0,63}$';
export const ProfileName = Type.String({
  pattern: PROFILE_NAME,
  description: 'one to 64 small letters, digits, `.`, `_`, `-`',
});

/** The command line for git, or the whole text if it can't be parsed. */
function gitLine(command: string): string {
  const { words } = gitWords(command);
  return words === null ? `git ${command}` : ['git', ...words].map(shellQuoted).join(' ');
}

/**
 * INVARIANT (judged as it runs): risk and policy evaluate exactly the command that the shell receives, in the shell's
 * own language.
 */
function commandLine({ shell, command }: Readonly<Record<string, unknown>>): string {
  const text = String(command);
  switch (shell) {
    case 'Git':
      return gitLine(text);
    case 'PowerShell':
      return `pwsh -Command ${shellQuoted(text)}`;
    case 'CommandPrompt':
      return `cmd /c ${shellQuoted(text)}`;
    default:
      return text;
  }
}

/** The operating system takes no longer argument, and PowerShell's command is one of 8/3 bytes a character. */
const POWERSHELL_CHARS_MAX = 49_000;

function faults({ shell, command }: Readonly<Record<string, unknown>>): { pointer: string; message: string }[] {
  const problem = shell === 'Git' ? gitWords(String(command)).problem : null;
  return [
    ...(problem === null ? [] : [{ pointer: '/command', message: problem }]),
    ...(shell === 'PowerShell' && String(command).length > POWERSHELL_CHARS_MAX
      ? [{ pointer: '/command', message: `a command for PowerShell has at most ${POWERSHELL_CHARS_MAX} characters` }]
      : []),
    ...(String(command).includes('\0') ? [{ pointer: '/command', message: 'no command has a NUL' }] : []),
  ];
}

/** A raw command under an execution profile. `dangerousTool` of the library of scripts applies the profile's limits. */
export const SHELL_DANGEROUS: ToolDefinition = {
  tool_id: 'shell.dangerous',
  version: 4,
  description:
    'Runs a raw command in a disposable container on the workspace, under an execution profile that an administrator registered. A person sees every call before it runs. `Git` takes the words of one git command and reads them without a shell. ' +
    'A non-zero exit status rolls everything back. Prefer `mk8.run` or `shell.run`.',
  category: 'admin',
  supervised: true,
  class: 'sandboxed',
  mutating: true,
  accepts_secrets: [],
  labels: READS_SECRETS_LABELS,
  limits: SANDBOX_LIMITS,
  parameters: Type.Object(
    {
      shell: Type.Enum([...RAW_SHELLS], {
        description: 'what reads the command; PowerShell where the image has it, CommandPrompt nowhere on Linux',
      }),
      command: Type.String({ minLength: 1, maxLength: 65_536 }),
      profile: Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: PROFILE_NAME,
        description: 'one that an administrator registered and the token names',
      }),
      timeout_ms: timeArgument('as long as its profile says'),
    },
    { additionalProperties: false },
  ),
  result: SHELL_RUN.result,
  commandLine,
  faults,
  // The files of a command can't be known from its text, so its effect is checked.
  resources: () => [],
};
