// SPDX-License-Identifier: Apache-2.0
//
// A service with OpenAI's API of transcription, as strict with a form as a service may be.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { SendRequest } from '../openai-transcriber.ts';

export interface Form {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly fields: readonly (readonly [string, string])[];
  readonly file: { readonly name: string; readonly type: string; readonly bytes: Buffer };
}

export interface FormServer {
  readonly url: string;
  readonly forms: Form[];
  readonly close: () => Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** Splits a form at its boundary (RFC 2046 §5.1). Throws on anything that is not exactly one. */
function parseForm({ url = '', headers }: IncomingMessage, body: Buffer): Form {
  const boundary = /^multipart\/form-data; boundary=([\w-]{1,70})$/.exec(headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) throw new Error('no boundary');
  const text = body.toString('latin1');
  const [before, ...rest] = text.split(`--${boundary}`);
  const end = rest.pop();
  if (before !== '' || end !== '--\r\n') throw new Error('the form does not begin or end with its boundary');
  const fields: [string, string][] = [];
  let file: Form['file'] | undefined;
  for (const part of rest) {
    const [, head, value] = /^\r\n((?:[^\r\n]+\r\n)+)\r\n([\s\S]*)\r\n$/.exec(part) ?? [];
    const [, name, filename] =
      /^content-disposition: form-data; name="([^"]+)"(?:; filename="([^"]+)")?\r\n/.exec(head ?? '') ?? [];
    if (name === undefined || value === undefined) throw new Error('a part has no name');
    if (filename === undefined) fields.push([name, value]);
    else if (name === 'file')
      file = {
        name: filename,
        type: /\r\ncontent-type: (\S+)\r\n/.exec(head ?? '')?.[1] ?? '',
        bytes: Buffer.from(value, 'latin1'),
      };
  }
  if (file === undefined) throw new Error('no file');
  return { path: url, headers, fields, file };
}

/** Answers each form. An answer is a status and a body; a body that is an object is sent as JSON. */
export async function formServer(
  answer: (form: Form) => Promise<{ status?: number; body: unknown } | 'never'>,
): Promise<FormServer> {
  const forms: Form[] = [];
  const server: Server = createServer((request, response) => {
    void (async () => {
      const form = parseForm(request, await bodyOf(request));
      forms.push(form);
      const reply = await answer(form);
      if (reply === 'never') return;
      response.statusCode = reply.status ?? 200;
      response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
    })().catch((error: unknown) => {
      response.statusCode = 400;
      response.end(String(error));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`,
    forms,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends without a gate, for specs. */
export const sendDirectly: SendRequest = async ({ url, method, headers, body, signal }) => {
  const response = await fetch(url, { method, headers, body: new Uint8Array(body), signal, redirect: 'error' });
  return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) };
};
