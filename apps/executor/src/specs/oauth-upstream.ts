// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http';
import type { ExternalHosts, ReceivedRequest } from './external-hosts.ts';

export const SERVER_URL = 'https://mcp.outside.example/mcp';
export const ISSUER = 'https://login.outside.example';

export type OAuthAnswer = (request: ReceivedRequest, response: ServerResponse) => unknown;

/** Answers with JSON. */
export const json =
  (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): OAuthAnswer =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): OAuthAnswer =>
  (_request, response) =>
    response.writeHead(code, headers).end();

export const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  revocation_endpoint: `${ISSUER}/revoke`,
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
};

/** An MCP server and its authorization server at the external hosts, whose answers a test replaces by `METHOD URL`. */
export class OAuthUpstream {
  readonly requests: string[] = [];
  answers: Record<string, OAuthAnswer> = {
    [`POST ${SERVER_URL}`]: status(401, { 'www-authenticate': 'Bearer error="invalid_token"' }),
    'GET https://mcp.outside.example/.well-known/oauth-protected-resource/mcp': json({
      resource: SERVER_URL,
      authorization_servers: [ISSUER],
    }),
    [`GET ${ISSUER}/.well-known/oauth-authorization-server`]: json(METADATA),
    [`POST ${ISSUER}/revoke`]: status(200),
  };

  constructor(outside: ExternalHosts) {
    outside.answer = (_request, response) => {
      const received = outside.received.at(-1)!;
      const asked = `${received.method} https://${received.host}${received.url}`;
      this.requests.push(asked);
      (this.answers[asked] ?? status(404))(received, response);
    };
  }
}
