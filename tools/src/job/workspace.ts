// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CapabilityToken, TreeEntry, WorkspaceView } from '@writ/contract';
import { Type } from 'typebox';
import { ApiProblem, type Api } from './api.ts';

/** The files of a workspace at one moment: path → SHA-256 of the content, in hex. */
export interface Tree {
  readonly snapshotId: string;
  readonly files: ReadonlyMap<string, string>;
}

const TreeAnswer = Type.Object({ snapshot_id: Type.String(), entries: Type.Array(TreeEntry) });

/** The files at the head. */
export async function readTree(api: Api, workspaceId: string): Promise<Tree> {
  const { snapshot_id, entries } = await api.read(TreeAnswer, `/v1/workspaces/${workspaceId}/tree`);
  return {
    snapshotId: snapshot_id,
    files: new Map(entries.flatMap(({ path, state }) => (state.sha256 === null ? [] : [[path, state.sha256]]))),
  };
}

/** Whether two moments have the same files with the same contents. */
export const isSameTree = (one: Tree, other: Tree): boolean =>
  one.snapshotId === other.snapshotId &&
  one.files.size === other.files.size &&
  [...one.files].every(([path, hash]) => other.files.get(path) === hash);

/** Creates a workspace from a directory. */
export async function createWorkspace(api: Api, name: string, dir: string): Promise<string> {
  const { workspace_id } = await api.read(WorkspaceView, '/v1/workspaces', { method: 'POST', body: { name } });
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(dir, path), content: readFileSync(path, 'utf8'), encoding: 'utf8', mode: '644' }));
  await api.ask(`/v1/workspaces/${workspace_id}/files`, { method: 'POST', body: { files } });
  return workspace_id;
}

/** Far more than a run needs; shows that a grant can have limits. */
const CALLS_MAX = 200;
/** Whoever tries Writ comes back after lunch. The next start issues a new one. */
const VALID_MS = 24 * 60 * 60 * 1000;
/** The database's clock may be behind ours. */
const SKEW_MS = 60_000;

/** Functions that somebody registers under these names need no token of their own: docs/tutorials/own-function.md. */
const OWN_FUNCTIONS = 'demo.*';

/**
 * Lets the agent read everything, write below `src` and `test`, run commands, and call functions of whoever tries Writ,
 * for a day.
 */
export async function issueToken(api: Api, agentId: string, workspaceId: string, now: number): Promise<string> {
  const roots = [
    { path: '', read: true, write: false },
    { path: 'src', read: true, write: true },
    { path: 'test', read: true, write: true },
  ];
  const grant = {
    tools: ['fs.*', 'shell.run', 'mk8.run', OWN_FUNCTIONS],
    fs: roots,
    net: [],
    secrets: [],
    budgets: { calls: CALLS_MAX },
    not_before: now - SKEW_MS,
    expires_at: now + VALID_MS,
  };
  const Issued = Type.Object({ capability_token_id: CapabilityToken.properties.capability_token_id });
  const token = await api.read(Issued, '/v1/capability-tokens', {
    method: 'POST',
    body: { agent_id: agentId, workspace_id: workspaceId, grant },
  });
  return token.capability_token_id;
}

/**
 * Revokes the token of an earlier run. A program that names none uses the only token of its agent, and would have to
 * choose. One that is of another database or revoked already is left.
 */
export async function revokeToken(api: Api, tokenId: string): Promise<void> {
  try {
    await api.ask(`/v1/capability-tokens/${tokenId}/revoke`, { method: 'POST', body: {} });
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status >= 500) throw error;
  }
}
