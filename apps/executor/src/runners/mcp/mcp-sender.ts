// SPDX-License-Identifier: Apache-2.0
//
// The requests of a session at an MCP server, as they leave. INVARIANT (no credential in a thread): the event loop adds
// the credential. INVARIANT (one address): every request goes to the address that the settings name.
import { Fault, oauthOf, PERSON_TOKEN, sharedCredentialOf, type McpHttpSettings } from '@writ/contract';
import { decideEgress, parseUrl, type EgressTarget } from '@writ/egress';
import type { RelayedRequest, RelayOptions } from '@writ/mcp-client';
import type { Call } from '../../calls/runner.ts';
import type { CallGate, Headers } from '../../egress/call-gate.ts';
import { exchange } from '../../egress/exchange.ts';
import { secretHeader } from '../resource-secret.ts';

/** Methods beside POST: GET resumes an answer, DELETE ends a session of 2025-11-25. */
const MORE_METHODS = ['GET', 'DELETE'] as const;

export interface McpSenderOptions {
  readonly settings: McpHttpSettings;
  readonly resourceSecrets: Call['resourceSecrets'];
  /** whether calls of the tool change nothing */
  readonly isSafe: boolean;
  /** how long nothing may pass, in milliseconds */
  readonly idleMs: number;
}

/** Sends the requests of one session. */
export class McpSender {
  readonly #gate: CallGate;
  readonly #target: EgressTarget;
  readonly #credential: Headers;
  readonly #options: McpSenderOptions;

  /**
   * @throws TargetError; GateRefusal for a credential that would leave in clear, or that no header can hold; Fault
   * `permit.invalid` where it did not come
   */
  constructor(gate: CallGate, options: McpSenderOptions) {
    this.#gate = gate;
    this.#options = options;
    this.#target = parseUrl(options.settings.url);
    this.#credential = credentialOf(options, this.#target);
  }

  /** Methods beside POST that every token of the chain grants: without them, sessions do without. */
  methodsWithin(net: Call['net']): readonly (typeof MORE_METHODS)[number][] {
    return MORE_METHODS.filter((method) => decideEgress(net, method, this.#target).effect === 'allow');
  }

  readonly send: RelayOptions['send'] = async (request, signal) => {
    const { method, isCall } = request;
    const { isSafe, idleMs } = this.#options;
    const { connection, listed } = await this.#gate.admit(method, this.#target, '', {
      isSafe: !isCall || isSafe,
      idleMs,
    });
    const stop = (): void => void connection.destroy();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const headers = this.#headersOf(request);
    const answer = await exchange(
      { connection, listed },
      { method, target: this.#target, headers, body: request.body },
    );
    answer.once('close', () => {
      signal.removeEventListener('abort', stop);
      stop();
    });
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: answer };
  };

  #headersOf({ headers, body }: RelayedRequest): Headers {
    const [own] = this.#credential;
    return [
      ...headers.filter(([name]) => name !== own?.[0]),
      ['accept-encoding', 'identity'],
      ['user-agent', 'writ'],
      ...(body === null ? [] : [['content-length', String(body.length)] as const]),
      ...this.#credential,
    ];
  }
}

function credentialOf({ settings, resourceSecrets }: McpSenderOptions, target: EgressTarget): Headers {
  const own = credentialIn(settings);
  if (own === null) return [];
  const { header: name = 'authorization', prefix = 'Bearer ', secret } = own;
  return [secretHeader({ resourceSecrets }, { name, prefix, secret }, target)];
}

/** The secret that a request has, and where; null: none. An access token of a person stands where OAuth has it. */
export const credentialIn = (
  settings: McpHttpSettings,
): { readonly header?: string; readonly prefix?: string; readonly secret: string } | null =>
  oauthOf(settings) === null ? sharedCredentialOf(settings) : { secret: PERSON_TOKEN };

/** The settings of the server of a call. @throws Fault `permit.invalid` where none came with it */
export function serverOf({ resources }: Pick<Call, 'resources'>): {
  readonly resourceId: string;
  readonly digest: string;
  readonly settings: McpHttpSettings;
} {
  const [server] = resources;
  if (server?.kind !== 'mcp_server')
    throw new Fault('permit.invalid', 'a call of an MCP server came without the server');
  return { resourceId: server.resource_id, digest: server.digest, settings: server.settings as McpHttpSettings };
}
