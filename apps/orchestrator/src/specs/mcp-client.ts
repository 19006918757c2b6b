// SPDX-License-Identifier: Apache-2.0
import { Client, StreamableHTTPClientTransport, type ElicitResult } from '@modelcontextprotocol/client';

/** The two revisions, as the option of the client names them. */
export const ERAS = ['auto', 'legacy'] as const;
export type Era = (typeof ERAS)[number];

/** Connects the official client. */
export async function mcpClient(
  url: string,
  key: string,
  {
    era = 'auto',
    elicit,
    headers = {},
  }: {
    readonly era?: Era;
    /** answers of the client's user; absent: the client can't ask */
    readonly elicit?: (message: string) => ElicitResult;
    readonly headers?: Record<string, string>;
  } = {},
): Promise<Client> {
  const client = new Client(
    { name: 'spec client', version: '1.2.3' },
    { versionNegotiation: { mode: era }, capabilities: elicit === undefined ? {} : { elicitation: { form: {} } } },
  );
  if (elicit !== undefined) client.setRequestHandler('elicitation/create', ({ params }) => elicit(params.message));
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } },
    }),
  );
  return client;
}
