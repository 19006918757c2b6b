// SPDX-License-Identifier: Apache-2.0
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseMessage } from '@writ/contract';
import { Type } from 'typebox';
import type { Demo } from './demo-tenant.ts';

/** The file that the command line tool finds in a parent folder, so that it works without settings. */
export interface CliFacts {
  readonly apiUrl: string;
  readonly platformKey: string;
  readonly demo: Demo;
  readonly workspaceId: string;
  readonly tokenId: string;
}

const FILE = 'cli.json';
/** Settings for programs of whoever tries Writ, as lines of `NAME=value`. */
const PROGRAMS_FILE = 'demo.env';

/** The capability token of an earlier run, if there was one. */
export function formerToken(stateDir: string): string | undefined {
  const path = join(stateDir, FILE);
  if (!existsSync(path)) return undefined;
  const Former = Type.Object({ capability_token_id: Type.Optional(Type.String()) });
  return parseMessage(Former, JSON.parse(readFileSync(path, 'utf8'))).capability_token_id;
}

/** Writes `cli.json`, and the same for programs as `demo.env`. */
export function writeCliFile(stateDir: string, { apiUrl, platformKey, demo, workspaceId, tokenId }: CliFacts): void {
  const facts = {
    url: apiUrl,
    api_key: demo.keys.admin,
    operator_key: demo.keys.operator,
    agent_key: demo.keys.agent,
    platform_key: platformKey,
    tenant_id: demo.tenant_id,
    agent_id: demo.agent_id,
    workspace_id: workspaceId,
    capability_token_id: tokenId,
  };
  writePrivate(join(stateDir, FILE), `${JSON.stringify(facts, null, 2)}\n`);
  const { admin, operator, agent } = demo.keys;
  const variables = { URL: apiUrl, AGENT_KEY: agent, OPERATOR_KEY: operator, ADMIN_KEY: admin };
  const lines = Object.entries(variables).map(([name, value]) => `WRIT_${name}=${value}\n`);
  writePrivate(join(stateDir, PROGRAMS_FILE), lines.join(''));
}

/** Readable only by its owner: it has keys. */
function writePrivate(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
  // The mode above only applies to a new file.
  chmodSync(path, 0o600);
}
