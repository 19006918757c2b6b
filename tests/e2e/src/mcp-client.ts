// SPDX-License-Identifier: Apache-2.0
import { Client, StreamableHTTPClientTransport, type ElicitResult } from '@modelcontextprotocol/client';

/** The two revisions, as the option of the client names them. */
export const ERAS = ['auto', 'legacy'] as const;
export type Era = (typeof ERAS)[number];

/** Connects the official client, unmodified. Without `elicit` it can ask nobody. */
export async function mcpClient(
  url: string,
  key: string,
  { era = 'auto', elicit }: { readonly era?: Era; readonly elicit?: (message: string) => ElicitResult } = {},
): Promise<Client> {
  const client = new Client(
    { name: 'writ-e2e', version: '1.0.0' },
    { versionNegotiation: { mode: era }, capabilities: elicit === undefined ? {} : { elicitation: { form: {} } } },
  );
  if (elicit !== undefined) client.setRequestHandler('elicitation/create', ({ params }) => elicit(params.message));
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}
