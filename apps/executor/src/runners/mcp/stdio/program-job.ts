// SPDX-License-Identifier: Apache-2.0
import { mcpMemoryBytes, SANDBOX_LIMITS, type McpStdioSettings } from '@writ/contract';
import type { SandboxJob, SandboxLabels } from '@writ/sandbox';
import { CONTAINER_TMPFS_BYTES } from '../../container-capacity.ts';
import { secretOf } from '../../resource-secret.ts';

/** A container of a program ends after an hour, whatever it does. */
const LIFE_MS = 60 * 60_000;
/** As those of commands: two at once use a small machine fully. */
const CPUS = 1;
/** Of its whole life: a program that computes between calls, too, ends sooner. */
const CPU_MS = 20 * 60_000;
/** The agent keeps the last bytes of the error stream, and sends them at the end. */
const WORDS_BYTES = 16_384;

export interface ProgramParts {
  readonly settings: McpStdioSettings;
  /** as the engine starts it */
  readonly image: string;
  /** the secrets that the settings name, by their names */
  readonly resourceSecrets: Readonly<Record<string, string>>;
  readonly labels: SandboxLabels;
}

/**
 * The job of a program: no workspace is mounted, and an empty directory is where it works. It never runs as root.
 * @throws Fault `permit.invalid` where a secret did not come
 */
export const programJob = ({
  settings,
  image,
  resourceSecrets,
  labels,
}: ProgramParts): Omit<SandboxJob, 'stdio' | 'egress'> => ({
  image,
  files: [],
  command: '',
  argv: settings.command,
  cwd: '',
  env: variablesOf(settings, resourceSecrets),
  limits: {
    memoryBytes: mcpMemoryBytes(settings),
    cpus: CPUS,
    pids: SANDBOX_LIMITS.pids,
    tmpfsBytes: CONTAINER_TMPFS_BYTES,
    wallMs: LIFE_MS,
    cpuMs: CPU_MS,
    outputBytes: WORDS_BYTES,
    // What it leaves in its directory is nobody's.
    deltaBytes: 0,
    deltaFiles: 0,
  },
  labels,
});

function variablesOf(
  { env = {} }: McpStdioSettings,
  resourceSecrets: ProgramParts['resourceSecrets'],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : secretOf({ resourceSecrets }, value.secret),
    ]),
  );
}
