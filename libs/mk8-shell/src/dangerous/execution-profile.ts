// SPDX-License-Identifier: Apache-2.0
import { ExecutionProfile, LIMITS, pointerOf, schemaProblems } from '@writ/contract';
import { canonicalBytes, JsonError, parseIJson, sha256Hex } from '@writ/digest';
import { Compile } from 'typebox/compile';
import { problemAt, type Problem } from '../problem.ts';
import { ENVIRONMENT } from '../rules/data/words.ts';

const PROFILE = Compile(ExecutionProfile);
/** Levels of JSON that a profile has. */
const DEPTH_MAX = 8;

export type ProfileRead =
  | { readonly profile: ExecutionProfile; readonly problems: readonly [] }
  | { readonly profile: null; readonly problems: readonly Problem[] };

/**
 * Variables that decide what runs, or what a shell or git does before it reads the command. The four exceptions only
 * name the author of a commit.
 */
const DECIDES =
  /^(?:PATH|HOME|TMPDIR|USER|LOGNAME|SHELL|PWD|OLDPWD|IFS|ENV|BASH.*|SHELLOPTS|PROMPT_COMMAND|PS[0-9]|CDPATH|GLOBIGNORE|LD_.*|DYLD_.*|GIT_.*|SSH_.*|PAGER|EDITOR|VISUAL|NODE_OPTIONS|PYTHONSTARTUP|PERL5.*|RUBYOPT|JAVA_TOOL_OPTIONS|DOTNET_STARTUP_HOOKS|PSMODULEPATH|WRIT_.*)$/;
const AUTHORS: ReadonlySet<string> = new Set([
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
]);

/** Parses a value as a profile, with all faults at once, each at its JSON pointer. Attacker-controlled. */
export function readProfile(value: unknown): ProfileRead {
  if (!PROFILE.Check(value))
    return {
      profile: null,
      problems: schemaProblems(PROFILE.Type(), value).map(({ pointer, message }) => problemAt(pointer, message)),
    };
  const problems = Object.entries(value.environment).flatMap(([name, text]) => variableProblems(name, text));
  if (problems.length === 0 && profileBytes(value).length > LIMITS.executionProfileBytes.max)
    problems.push(problemAt('', `it is longer than ${LIMITS.executionProfileBytes.max} bytes`));
  return problems.length > 0 ? { profile: null, problems } : { profile: value, problems: [] };
}

function variableProblems(name: string, text: string): Problem[] {
  const at = pointerOf('environment', name);
  if (ENVIRONMENT.blocked.some((word) => name.includes(word)) && !AUTHORS.has(name))
    return [problemAt(at, 'is called as secrets are, and a profile is read by everybody who manages the tenant')];
  if (DECIDES.test(name) && !AUTHORS.has(name)) return [problemAt(at, "decides what is run, which a profile doesn't")];
  return /[\0\n]/.test(text) ? [problemAt(at, 'has a line break or a NUL')] : [];
}

/** The bytes over which a profile's digest is computed: RFC 8785. */
export const profileBytes = (profile: ExecutionProfile): Uint8Array => canonicalBytes(profile);

/** Hex SHA-256 of those bytes. */
export const profileDigest = (bytes: Uint8Array): string => sha256Hex(bytes);

/** A profile from its bytes; null for bytes that are no profile of this version. Attacker-controlled. */
export function profileFrom(bytes: Uint8Array): ExecutionProfile | null {
  try {
    const { profile } = readProfile(parseIJson(bytes, { depthMax: DEPTH_MAX }));
    // Other bytes with the same meaning would have another digest.
    return profile !== null && Buffer.from(profileBytes(profile)).equals(bytes) ? profile : null;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return null;
  }
}

/** The variables that name the author of a commit; git gets them, and no rule removes them. */
export const authorsOf = ({ environment }: ExecutionProfile): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => AUTHORS.has(name)));
