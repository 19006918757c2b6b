// SPDX-License-Identifier: Apache-2.0
import { parseIJson, JsonError, type JsonValue } from '@writ/digest';
import { rulesOf, RulesError, shapeProblems, type Operation, type Rules, type Sandbox } from '@writ/mk8-shell';
import { usage } from '../cli-error.ts';
import { readNamedText } from '../read-named-file.ts';

/** The options that extend the shipped sandbox. */
export interface SandboxOptions {
  readonly rules?: string;
  readonly fragments?: string;
  readonly set?: readonly string[];
}

const DEPTH_MAX = 32;

function jsonOf(path: string, option: string): JsonValue {
  try {
    return parseIJson(readNamedText(path, option), { depthMax: DEPTH_MAX });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw usage(`\`${option}\`: \`${path}\` is no JSON that Writ takes: ${error.message}`);
  }
}

function rulesFrom(path: string | undefined): Rules {
  try {
    return rulesOf(path === undefined ? {} : jsonOf(path, '--rules'));
  } catch (error) {
    if (!(error instanceof RulesError)) throw error;
    throw usage(`\`--rules\`: ${error.message}`);
  }
}

function fragmentsFrom(path: string | undefined): ReadonlyMap<string, readonly Operation[]> {
  const value = path === undefined ? {} : jsonOf(path, '--fragments');
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usage('`--fragments`: it must be an object of fragments by their ids');
  return new Map(
    Object.entries(value).map(([id, operations]) => {
      const [wrong] = shapeProblems({ operations });
      if (wrong !== undefined)
        throw usage(`\`--fragments\`: \`${id}\` is no list of operations: ${wrong.pointer}: ${wrong.message}`);
      return [id, operations as unknown as readonly Operation[]];
    }),
  );
}

function variablesFrom(settings: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    settings.map((setting) => {
      const [, name = '', value = ''] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(setting) ?? [];
      if (name === '') throw usage(`\`--set\`: \`${setting}\` is no NAME=VALUE`);
      return [name.toUpperCase(), value];
    }),
  );
}

/** A sandbox for checking scripts: the shipped rules, and what the options add to them. @throws CliError `usage` */
export const sandboxOf = ({ rules, fragments, set = [] }: SandboxOptions): Sandbox => ({
  id: 'local',
  root: '/workspace',
  cwd: '',
  user: 'agent',
  env: variablesFrom(set),
  rules: rulesFrom(rules),
  fragments: fragmentsFrom(fragments),
  skills: [],
});
