// SPDX-License-Identifier: Apache-2.0
import type { Operation } from '../script/script.ts';
import { rulesOf, type Rules } from './rules.ts';

/** Where a script runs, and under which rules. It comes from the registered sandbox, never from a script. */
export interface Sandbox {
  readonly id: string;
  /** The value of `$WORKSPACE`, and the path at which programs find the files. */
  readonly root: string;
  /** The working directory within the root, without a slash at either end; empty for the root itself. */
  readonly cwd: string;
  readonly user: string;
  /** The signed environment, by names in upper case. */
  readonly env: ReadonlyMap<string, string>;
  readonly rules: Rules;
  /** The operations that replace an Include. */
  readonly fragments: ReadonlyMap<string, readonly Operation[]>;
  readonly skills: readonly { readonly name: string; readonly summary: string }[];
}

/**
 * A sandbox as it is stored and sent, in JSON. The service that read it from storage has verified its environment and
 * fragments.
 */
export interface SandboxData {
  readonly name: string;
  /** by names in upper case */
  readonly environment: Readonly<Record<string, string>>;
  /** its additions to the shipped rules */
  readonly rules: unknown;
  /** the only templates that ProcRun may use; null: all */
  readonly enabled_templates: readonly string[] | null;
  readonly fragments: Readonly<Record<string, readonly Operation[]>>;
  readonly skills: Sandbox['skills'];
}

/** The sandbox of a script that names none: the shipped rules, and nothing else. */
export const DEFAULT_SANDBOX: SandboxData = {
  name: 'default',
  environment: {},
  rules: {},
  enabled_templates: null,
  fragments: {},
  skills: [],
};

/** The path and the user of the workspace in every container. */
const CONTAINER = { root: '/workspace', cwd: '', user: 'sandbox' } as const;

/** A parsed sandbox, with prepared rules. */
export interface ReadSandbox extends Pick<Sandbox, 'rules' | 'fragments'> {
  readonly name: string;
  readonly environment: Sandbox['env'];
}

/** The sandbox with which scripts are compiled and run in a container. */
export const inContainer = (
  { name, environment, rules, fragments }: ReadSandbox,
  skills: Sandbox['skills'] = [],
): Sandbox => ({ ...CONTAINER, id: name, env: environment, rules, fragments, skills });

/**
 * The same from its stored data. The same data gives the same rules everywhere.
 * @throws RulesError
 */
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
