// SPDX-License-Identifier: Apache-2.0
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Demo } from './demo-tenant.ts';

/** The file that the command line tool finds in a parent folder, so that it works without settings. */
export interface CliFacts {
  readonly apiUrl: string;
  readonly platformKey: string;
  readonly demo: Demo;
  readonly workspaceId: string;
  readonly tokenId: string;
}

/** Writes `cli.json`, readable only by its owner: it has keys. */
export function writeCliFile(stateDir: string, { apiUrl, platformKey, demo, workspaceId, tokenId }: CliFacts): void {
  const path = join(stateDir, 'cli.json');
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
  writeFileSync(path, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
  // The mode above only applies to a new file.
  chmodSync(path, 0o600);
}
