// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { SANDBOX_LIMITS, TELLS_SECRETS, type ToolDefinition } from './definition.ts';
import { gitWords } from './git-command.ts';
import { SHELL_RUN } from './shell.ts';
import { shellQuoted } from './shell-words.ts';

/** What reads a raw command. */
export const RAW_SHELLS = ['Bash', 'PowerShell', 'CommandPrompt', 'Git'] as const;
export type RawShell = (typeof RAW_SHELLS)[number];

/** An execution profile, by what callers and tokens write. */
export const PROFILE_NAME = '^[a-z0-9][a-z0-9._-]{0,63}$';
export const ProfileName = Type.String({
  pattern: PROFILE_NAME,
  description: 'one to 64 small letters, digits, `.`, `_`, `-`',
});

/** What git is started with, or the whole text where that can't be told. */
function gitLine(command: string): string {
  const { words } = gitWords(command);
  return words === null ? `git ${command}` : ['git', ...words].map(shellQuoted).join(' ');
}

/**
 * INVARIANT (judged as it runs): what risk and policy read is the command that the shell gets, in the language that it
 * reads.
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

function faults({ shell, command }: Readonly<Record<string, unknown>>): { pointer: string; message: string }[] {
  const problem = shell === 'Git' ? gitWords(String(command)).problem : null;
  return [
    ...(problem === null ? [] : [{ pointer: '/command', message: problem }]),
    ...(String(command).includes('\0') ? [{ pointer: '/command', message: 'no command has a NUL' }] : []),
  ];
}

/**
 * A raw command under an execution profile. What the profile bounds is found by whoever reads it: see `dangerousTool`
 * of the library of scripts.
 */
export const SHELL_DANGEROUS: ToolDefinition = {
  tool_id: 'shell.dangerous',
  version: 2,
  description:
    'Runs a raw command in a disposable container on the workspace, under an execution profile that an administrator registered. A person sees every call before it runs. `Git` takes the words of one git command and reads them without a shell. ' +
    'A non-zero exit status rolls everything back. Prefer `mk8.run` or `shell.run`.',
  category: 'admin',
  supervised: true,
  class: 'sandboxed',
  mutating: true,
  accepts_secrets: [],
  labels: TELLS_SECRETS,
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
    },
    { additionalProperties: false },
  ),
  result: SHELL_RUN.result,
  commandLine,
  faults,
  // What a command touches can't be known from its text: its effect is checked.
  resources: () => [],
};
