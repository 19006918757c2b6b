// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { eventually, type JsonValue, type World } from '@writ/stack';
import { measure, type Load, type Metric } from '../measure.ts';

type Measured = Omit<Metric, 'reference' | 'ratio'>;

/** Connects the official client with the newest revision that both speak. */
async function connect(url: string, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

const fileArguments = (): { path: string; content: string } => ({
  path: `file-${randomUUID().slice(0, 2)}.txt`,
  content: randomUUID(),
});

/** One call of a server of the SDK that only answers what it was sent: no decision, no record, no effect. */
export async function mcpEcho(load: Load): Promise<Measured> {
  const program = fileURLToPath(new URL('../programs/mcp-echo.mjs', import.meta.url));
  const server = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const [line] = (await once(server.stdout, 'data')) as [Buffer];
    const client = await connect(`http://127.0.0.1:${line.toString().trim()}/mcp`);
    const measured = await measure(load, async () => {
      const { isError } = await client.callTool({ name: 'echo', arguments: fileArguments() });
      if (isError === true) throw new Error('the echo failed');
    });
    await client.close();
    return measured;
  } finally {
    server.stdin.end();
  }
}

/** One call of a tool through `/mcp` by the official client, until its receipt is in the log. */
export async function mcpCalls(world: World, tool: string, load: Load): Promise<Measured> {
  const client = await connect(`${world.agent.url}/mcp/${world.tokenId}?workspace_id=${world.workspaceId}`, {
    authorization: `Bearer ${world.agent.key ?? ''}`,
  });
  const measured = await measure(load, async () => {
    const { structuredContent } = await client.callTool({ name: tool, arguments: fileArguments() });
    const { state, operation_id } = structuredContent as JsonValue;
    if (state !== 'committed') throw new Error(`${tool} ended as ${JSON.stringify(structuredContent)}`);
    const path = `/v1/operations/${operation_id as string}/receipt`;
    await eventually('the receipt', async () => (await world.agent.get(path)).status === 200);
  });
  await client.close();
  return measured;
}
