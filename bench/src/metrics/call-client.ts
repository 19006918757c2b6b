// SPDX-License-Identifier: Apache-2.0
import { Agent, request, type IncomingMessage } from 'node:http';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { JsonValue, World } from '@writ/stack';

const connections = new Agent({ keepAlive: true });

export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly body: JsonValue;
}

/**
 * Makes a call and waits for its end, over kept-alive connections. It uses `node:http`: `fetch` costs the caller two
 * milliseconds of processor time for a single call, which are not what is measured here.
 */
export async function callOver(world: World, toolId: string, args: unknown): Promise<Answered> {
  const sent = Buffer.from(
    JSON.stringify({
      tool_id: toolId,
      args,
      capability_token_id: world.tokenId,
      workspace_id: world.workspaceId,
      idempotency_key: randomUUID(),
    }),
  );
  const asked = request(`${world.agent.url}/v1/tool-calls?wait=30000`, {
    agent: connections,
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.agent.key ?? ''}`,
      'content-type': 'application/json',
      'content-length': sent.length,
    },
  });
  asked.end(sent);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const output = await text(answer);
  return { status: answer.statusCode ?? 0, text: output, body: JSON.parse(output) as JsonValue };
}
