// SPDX-License-Identifier: Apache-2.0
import type { Operation } from '../script/script.ts';
import { rulesOf, type Rules } from './rules.ts';

/** Where a script runs, and under which rules. Made by whoever registered the sandbox, never by a script. */
export interface Sandbox {
  readonly id: string;
  /** What `$WORKSPACE` says, and where programs find the files. */
  readonly root: string;
  /** The working directory within the root, without a slash at either end; empty for the root itself. */
  readonly cwd: string;
  readonly user: string;
  /** The signed environment, by names in capitals. */
  readonly env: ReadonlyMap<string, string>;
  readonly rules: Rules;
  /** What Include may put in place of itself. */
  readonly fragments: ReadonlyMap<string, readonly Operation[]>;
  readonly skills: readonly { readonly name: string; readonly summary: string }[];
}

/**
 * A sandbox as it is kept and sent: JSON, its environment and fragments verified by whoever took it from its keeper.
 */
export interface SandboxData {
  readonly name: string;
  /** by names in capitals */
  readonly environment: Readonly<Record<string, string>>;
  /** what it adds to the rules that are shipped */
  readonly rules: unknown;
  /** the only templates that ProcRun may use; null: all */
  readonly enabled_templates: readonly string[] | null;
  readonly fragments: Readonly<Record<string, readonly Operation[]>>;
  readonly skills: Sandbox['skills'];
}

/** What a script runs in that names no sandbox: what is shipped, and nothing else. */
export const DEFAULT_SANDBOX: SandboxData = {
  name: 'default',
  environment: {},
  rules: {},
  enabled_templates: null,
  fragments: {},
  skills: [],
};

/** Where every container has its workspace, and whose it is there. */
const CONTAINER = { root: '/workspace', cwd: '', user: 'sandbox' } as const;

/** A sandbox that was read, its rules made ready. */
export interface ReadSandbox extends Pick<Sandbox, 'rules' | 'fragments'> {
  readonly name: string;
  readonly environment: Sandbox['env'];
}

/** What scripts are compiled with and run in. */
export const inContainer = (
  { name, environment, rules, fragments }: ReadSandbox,
  skills: Sandbox['skills'] = [],
): Sandbox => ({ ...CONTAINER, id: name, env: environment, rules, fragments, skills });

/** The same of what was sent. The same data gives the same rules wherever it is read. @throws RulesError */
export const sandboxFrom = ({ name, environment, rules, enabled_templates, fragments, skills }: SandboxData): Sandbox =>
  inContainer(
    {
      name,
      environment: new Map(Object.entries(environment)),
      rules: rulesOf(rules, enabled_templates),
      fragments: new Map(Object.entries(fragments)),
    },
    skills,
  );
