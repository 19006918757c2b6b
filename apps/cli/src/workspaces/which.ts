// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import { usage } from '../cli-error.ts';
import type { CommonOptions } from '../context.ts';
import type { Connection } from '../http/connection.ts';

export interface WorkspaceOptions extends CommonOptions {
  readonly workspace?: string;
}

/** Adds the option that names the workspace. */
export const withWorkspace = (command: Command): Command => command.option('--workspace <id>', 'the workspace; that of the local set-up unless said');

/** The path of the workspace that the options name. */
export function pathOf({ defaults }: Connection, { workspace }: WorkspaceOptions): string {
  const id = workspace ?? defaults.workspace_id;
  if (id === undefined) throw usage('`--workspace` is missing');
  return `/v1/workspaces/${encodeURIComponent(id)}`;
}
