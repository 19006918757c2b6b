// SPDX-License-Identifier: Apache-2.0
// The files of deploy/compose, as specs read them.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { checkout } from '../setup.ts';

export interface ComposeService {
  readonly image?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly restart?: string;
  readonly mem_limit?: string;
  readonly command?: string | readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
}

export const COMPOSE_FOLDER = join(checkout, 'deploy', 'compose');

export const composeText = (name: string): string => readFileSync(join(COMPOSE_FOLDER, name), 'utf8');

export const composeFile = (name: string): ComposeFile => parse(composeText(name), { merge: true }) as ComposeFile;

/** compose.yaml and its overlays. */
export const COMPOSE_FILES: readonly string[] = globSync('*.yaml', { cwd: COMPOSE_FOLDER }).sort();

/** Variables that a file substitutes, with their defaults: empty where there is none. */
export const interpolated = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(/\$\{([A-Z_]+)(?::([-?])((?:[^{}])*))?\}/g)].map(
      ([, name = '', sign, rest = '']) => [name, sign === '-' ? rest : ''] as const,
    ),
  );
