// SPDX-License-Identifier: Apache-2.0
import { usage } from './cli-error.ts';
import type { Connection } from './http/connection.ts';

/** Options of every command that proposes a call. */
export interface ProposalOptions {
  readonly workspace?: string;
  readonly token?: string;
  readonly agent?: string;
  readonly dryRun?: boolean;
}

/**
 * The fields of a call besides its tool, arguments and key. They come from the options, or from the settings of
 * `npm start`.
 * @throws CliError `usage`
 */
export function proposalOf({ workspace, token, agent, dryRun }: ProposalOptions, defaults: Connection['defaults']) {
  return {
    capability_token_id: required('--token', token ?? defaults.capability_token_id),
    workspace_id: required('--workspace', workspace ?? defaults.workspace_id),
    agent_id: agent ?? defaults.agent_id,
    dry_run: dryRun,
    provenance: { client: 'cli' },
  };
}

function required(option: string, value: string | undefined): string {
  if (value === undefined) throw usage(`\`${option}\` is missing`);
  return value;
}
