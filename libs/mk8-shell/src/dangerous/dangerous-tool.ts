// SPDX-License-Identifier: Apache-2.0
//
// The tool that runs raw commands, under one profile. INVARIANT (the profile is part of what is meant): the digest of
// the profile is part of the tool's, so that whatever is bound to a tool, a decision, a record, an approval, a permit,
// is bound to the profile as it was then.
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

/** The profile that a call's arguments name; null for nothing that could be a name. */
export const profileNamed = ({ profile }: Args): string | null =>
  typeof profile === 'string' && NAME.test(profile) ? profile : null;

/** What `shell.dangerous` means under a profile: within its limits, and under its digest. */
export function dangerousTool(profile: ExecutionProfile): ToolDefinition {
  const { wall_ms, memory_bytes } = profile.limits;
  return {
    ...SHELL_DANGEROUS,
    limits: { ...SHELL_DANGEROUS.limits, wall_ms, memory_bytes },
    profile: profileDigest(profileBytes(profile)),
  };
}

/** What is started for a raw command. `program` null: bash, with the command as it stands. */
export interface RawJob {
  readonly program: readonly string[] | null;
  readonly env: Readonly<Record<string, string>>;
}

/** How PowerShell is started: with nothing read before the command, and nobody to ask. */
const POWERSHELL = ['pwsh', '-NoLogo', '-NoProfile', '-NonInteractive', '-Command'] as const;

/**
 * What a checked call starts. Callers MUST have checked the arguments against the tool.
 * @throws for a shell that no image has, and for words that git isn't started with
 */
export function rawJob(args: Args, profile: ExecutionProfile): RawJob {
  const { shell, command } = args as { readonly shell: RawShell; readonly command: string };
  const { environment } = profile;
  switch (shell) {
    case 'Bash':
      return { program: null, env: environment };
    case 'PowerShell':
      return { program: [...POWERSHELL, command], env: environment };
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
 * What a repository's own settings could make git start, in words; null for settings that start nothing. Where its
 * remotes lead is for the gate to judge.
 */
export const repositoryFault = (config: string): string | null => settingsFault(config, null);
