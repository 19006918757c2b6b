// SPDX-License-Identifier: Apache-2.0
import { Client, StreamableHTTPClientTransport, type ElicitResult } from '@modelcontextprotocol/client';

/** The two revisions, as the option of the client names them. */
export const ERAS = ['auto', 'legacy'] as const;
export type Era = (typeof ERAS)[number];

/** Connects the official client, unmodified. Without `elicit` it can ask nobody, and without `open` show no page. */
export async function mcpClient(
  url: string,
  key: string,
  {
    era = 'auto',
    elicit,
    open,
  }: {
    readonly era?: Era;
    readonly elicit?: (message: string) => ElicitResult;
    readonly open?: (url: string) => Promise<ElicitResult>;
  } = {},
): Promise<Client> {
  const elicitation = { ...(elicit === undefined ? {} : { form: {} }), ...(open === undefined ? {} : { url: {} }) };
  const client = new Client(
    { name: 'writ-e2e', version: '1.0.0' },
    { versionNegotiation: { mode: era }, capabilities: Object.keys(elicitation).length === 0 ? {} : { elicitation } },
  );
  if (Object.keys(elicitation).length > 0)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const answer = 'url' in params ? await open?.(params.url) : elicit?.(params.message);
      return answer ?? { action: 'decline' };
    });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}
