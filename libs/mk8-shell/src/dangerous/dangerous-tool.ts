// SPDX-License-Identifier: Apache-2.0
//
// The tool that runs raw commands, under one profile.
// INVARIANT (the profile is part of what is meant): the digest of the profile is part of the tool's. So a decision, a
// record, an approval or a permit for the tool is bound to that state of the profile.
import {
  gitWords,
  PROFILE_NAME,
  SHELL_DANGEROUS,
  type ExecutionProfile,
  type RawShell,
  type ToolDefinition,
} from '@writ/contract';
import { gitCommand, settingsFault } from '../verbs/git.ts';
import { authorsOf, profileBytes, profileDigest } from './execution-profile.ts';

type Args = Readonly<Record<string, unknown>>;

const NAME = new RegExp(PROFILE_NAME);

/** The name of the profile in a call's arguments; null for a value that can't be a name. */
export const profileNameOf = ({ profile }: Args): string | null =>
  typeof profile === 'string' && NAME.test(profile) ? profile : null;

/** The definition of `shell.dangerous` under a profile: with its limits and its digest. */
export function dangerousTool(profile: ExecutionProfile): ToolDefinition {
  const { wall_ms, memory_bytes } = profile.limits;
  return {
    ...SHELL_DANGEROUS,
    limits: { ...SHELL_DANGEROUS.limits, wall_ms, memory_bytes },
    profile: profileDigest(profileBytes(profile)),
  };
}

/** The process of a raw command. `program` null: bash, with the unchanged command. */
export interface RawJob {
  readonly program: readonly string[] | null;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * How PowerShell is started: it reads nothing before the command, and never prompts. The command follows in base64 of
 * UTF-16LE, so that no rule about the quotes of arguments applies to it. With an encoded command and without a format,
 * PowerShell would write its errors as XML.
 */
const POWERSHELL = ['pwsh', '-NoLogo', '-NoProfile', '-NonInteractive', '-OutputFormat', 'Text', '-EncodedCommand'];

/**
 * The process of a checked call. Callers MUST have checked the arguments against the tool.
 * @throws for a shell that no image has, and for arguments that git isn't started with
 */
export function rawJob(args: Args, profile: ExecutionProfile): RawJob {
  const { shell, command } = args as { readonly shell: RawShell; readonly command: string };
  const { environment } = profile;
  switch (shell) {
    case 'Bash':
      return { program: null, env: environment };
    case 'PowerShell':
      return { program: [...POWERSHELL, Buffer.from(command, 'utf16le').toString('base64')], env: environment };
    case 'Git': {
      const { words, problem } = gitWords(command);
      if (words === null) throw new Error(`git is not started: ${problem}`);
      const { argv, env } = gitCommand(['git', ...words]);
      return { program: argv, env: { ...environment, ...env, ...authorsOf(profile) } };
    }
    default:
      throw new Error(`\`${String(shell)}\` is no shell of an image`);
  }
}

/**
 * The program that a repository's own settings could make git start, as a text; null for settings that start nothing.
 * The gate judges the hosts of its remotes.
 */
export const repositoryFault = (config: string): string | null => settingsFault(config, null);
