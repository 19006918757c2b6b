// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import { usage } from '../cli-error.ts';
import type { CommonOptions } from '../context.ts';
import type { Connection } from '../http/connection.ts';

export interface WorkspaceOptions extends CommonOptions {
  readonly workspace?: string;
}

/** Adds the option that names the workspace. */
export const withWorkspace = (command: Command): Command =>
  command.option('--workspace <id>', 'the workspace; the one of the local set-up by default');

/** The API path of the workspace that the options name. */
export function pathOf({ defaults }: Connection, { workspace }: WorkspaceOptions): string {
  const id = workspace ?? defaults.workspace_id;
  if (id === undefined) throw usage('`--workspace` is missing');
  return `/v1/workspaces/${encodeURIComponent(id)}`;
}

export interface StateOptions extends WorkspaceOptions {
  readonly at?: string;
}

/** The help text for arguments that name a state. */
export const AT = 'a snapshot, or a moment such as 2026-01-31T09:30:00Z';

/** A path of the workspace, encoded for a URL. */
export const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
