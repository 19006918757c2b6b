// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of service files that this process has already checked. */
const fresh = new Set<string>();

/**
 * The file that a service starts from, which `npm run build` bundles from the service's modules. Throws where the
 * content of one of these has changed since: a test would pass or fail for code that isn't there any more. Checks once.
 */
export function freshService(checkout: string, service: string): string {
  const name = `dist/services/${service}/main.js`;
  const program = join(checkout, name);
  if (fresh.has(program)) return program;
  const record = join(checkout, 'dist', 'services', service, 'inputs.json');
  if (!existsSync(program) || !existsSync(record)) throw new Error(`\`${name}\` is missing: run \`npm run build\``);
  const inputs = Object.entries(JSON.parse(readFileSync(record, 'utf8')) as Record<string, string>);
  const changed = inputs.find(([path, hash]) => hashOf(join(checkout, path)) !== hash);
  if (changed) throw new Error(`\`${name}\` is older than \`${changed[0]}\`: run \`npm run build\``);
  fresh.add(program);
  return program;
}

const hashOf = (path: string): string | null =>
  existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : null;
