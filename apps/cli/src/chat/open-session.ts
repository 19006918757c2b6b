// SPDX-License-Identifier: Apache-2.0
import { usage } from '../cli-error.ts';
import type { Connection } from '../http/connection.ts';
import { proposalOf, type ProposalOptions } from '../proposed-call.ts';
import { visibleLine } from '../visible.ts';
import { ChatSession, ModelRows } from '../run-schemas.ts';

export interface SessionOptions extends ProposalOptions {
  readonly session?: string;
  readonly model?: string;
  readonly dialect?: string;
  readonly system?: string;
  readonly name?: string;
  readonly gateway?: boolean;
}

/** The session that the options name, or a new one. @throws CliError `usage` */
export async function openSession({ client, defaults }: Connection, options: SessionOptions): Promise<ChatSession> {
  const { session, model, dialect, system, name, gateway } = options;
  if (session !== undefined) {
    if ([model, dialect, system, name, gateway].some((each) => each !== undefined))
      throw usage(
        '`--model`, `--dialect`, `--system`, `--name` and `--gateway` are of a new session, and `--session` names one that is there',
      );
    return await client.read(ChatSession, `/v1/sessions/${encodeURIComponent(session)}`);
  }
  const { workspace_id, capability_token_id, agent_id } = proposalOf(options, defaults);
  const body = {
    workspace_id,
    capability_token_id,
    agent_id,
    model: model ?? (await onlyModel(client)),
    dialect,
    system,
    name,
    ...(gateway === true ? { session_mode: 'gateway' } : {}),
  };
  return await client.read(ChatSession, '/v1/sessions', { method: 'POST', body });
}

/** The model, where there is only one. */
async function onlyModel(client: Connection['client']): Promise<string> {
  const { items } = await client.read(ModelRows, '/v1/models');
  const [first, second] = items;
  if (first !== undefined && second === undefined) return first.name;
  throw usage(
    first === undefined
      ? 'no model is set up: name a file of models in `WRIT_MODELS_FILE` where Writ is started (docs/how-to/sessions.md says what is in it)'
      : `\`--model\` is missing: ${items.map(({ name }) => visibleLine(name)).join(', ')}`,
  );
}
