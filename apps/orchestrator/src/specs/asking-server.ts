// SPDX-License-Identifier: Apache-2.0
// A mounted server that asks, over a fake kernel.
import { MCP_INPUT, type McpAsk, type McpQuestion, type OperationView, type ProposedCall } from '@writ/contract';
import { acceptedTool, remoteDigest, serverRequests } from '@writ/mcp-tool';
import { newId } from '@writ/nest-kit';
import { resourceOf, viewOf } from './fake-views.ts';
import { messageOf, postModern } from './mcp-request.ts';
import { trackerTool } from './mounted-server.ts';
import { createFixture, GRANT, type Fixture } from './tenant-fixture.ts';
import { openTestApi, type TestApi, type TestTenant } from './test-api.ts';

/** What the server may ask for. */
export const ASKS: readonly McpAsk[] = ['elicitation', 'sampling'];
/** The capabilities of a client that takes all forms of questions but pages. */
export const ALL = { elicitation: { form: {} }, sampling: {}, roots: {} };
export const BEGINS = 'Question from the MCP server `tracker`: ';
const SCHEMA = { type: 'object', properties: { name: { type: 'string' } } };
export const FORM = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Who?', requestedSchema: SCHEMA },
};
/** The form as a client gets it. */
export const SHOWN = { ...FORM, params: { ...FORM.params, message: `${BEGINS}Who?` } };
/** The client's answer to the form. */
export const WHO = { who: { action: 'accept', content: { name: 'Ada' } } };
/** The result of a call that asks nothing. */
export const ANSWER = {
  content: [{ type: 'text', text: 'done' }],
  structured: null,
  is_error: false,
  truncated: false,
};
/** Keys of calls that answer: nobody can make one from the id of an operation alone. */
export const ANSWER_KEY = /^mcp-answer:[\w-]{43}$/;

/** The result of a call that asks. */
export const question = (
  requests: McpQuestion['requests'] = { who: FORM },
  state: string | null = 'state of the server',
) => ({ ...ANSWER, content: [], asks: { requests, state } });

/** The operation of a call that has ended with the result. */
export const ended = (call: ProposedCall, result: object, over: Partial<OperationView> = {}): OperationView => {
  const view = viewOf(call, 'committed');
  return { ...view, result: { ...view.result!, status: 'ok', error: null, result, result_ref: null }, ...over };
};

/** What a client sends beside its request. */
export interface Sent {
  readonly capabilities?: object;
  readonly state?: unknown;
  readonly responses?: object;
  readonly as?: string;
  readonly key?: string;
  readonly meta?: object;
  readonly signal?: AbortSignal;
}

/** A server `tracker` with the tool `ask`, which may ask, the tool `quiet`, which may not, and requests that may. */
export class AskingServer {
  readonly api: TestApi;
  readonly tenant: TestTenant;
  readonly has: Fixture;
  /** two tokens that grant all of the server */
  readonly token = newId('token');
  readonly other = newId('token');
  /** what the server answers to the next calls, until it answers `ANSWER` */
  answers: object[] = [];

  private constructor(api: TestApi, tenant: TestTenant, has: Fixture) {
    this.api = api;
    this.tenant = tenant;
    this.has = has;
  }

  static async open(): Promise<AskingServer> {
    const api = await openTestApi();
    const tenant = await api.newTenant();
    const server = new AskingServer(api, tenant, await createFixture(api, tenant));
    server.#keepTools();
    server.#keepTokens();
    return server;
  }

  /** Forgets the calls before. */
  reset(): void {
    this.api.kernel.requests.length = 0;
    this.answers = [];
    this.api.kernel.admits = (call) => this.keep(ended(call, this.answers.shift() ?? ANSWER));
  }

  keep(view: OperationView): OperationView {
    this.api.kernel.keep(this.tenant.tenantId, view.operation_id, 'operation', view);
    return view;
  }

  /** An administrator changes the settings of the server. Its tools stay in force, in another version. */
  changeSettings(server_digest: string): void {
    const { kernel } = this.api;
    const { tenantId } = this.tenant;
    for (const name of ['ask', 'quiet', 'resources/read', 'prompts/get']) {
      const id = trackerTool(name);
      const view = kernel.find({ tenant_id: tenantId } as never, id) as { readonly tool: object };
      kernel.keep(tenantId, id, 'tool', { ...view, tool: { ...view.tool, server_digest } });
    }
  }

  /** Every call is held from now on. */
  hold(): void {
    this.api.kernel.admits = (proposal) => this.keep({ ...viewOf(proposal, 'held'), result: null });
  }

  proposed(): ProposedCall[] {
    return this.api.kernel.requests
      .filter(({ verb }) => verb === 'admit')
      .map(({ request }) => request as unknown as ProposedCall);
  }

  /** What each proposed call has of questions and answers. */
  inputs(): unknown[] {
    return this.proposed().map(({ args }) => (args as Record<string, unknown>)[MCP_INPUT]);
  }

  async call({
    name = 'ask',
    args = { a: 1 },
    ...more
  }: Sent & { readonly name?: string; readonly args?: object } = {}) {
    return await this.send('tools/call', { name, arguments: args }, more);
  }

  async send(method: string, own: object, { capabilities = ALL, as = this.token, key, ...more }: Sent = {}) {
    const path = `${this.api.url}/mcp/${as}?workspace_id=${this.has.workspace_id}&server=tracker`;
    const params = {
      ...own,
      ...(more.state === undefined ? {} : { requestState: more.state }),
      ...(more.responses === undefined ? {} : { inputResponses: more.responses }),
      ...(more.meta === undefined ? {} : { _meta: more.meta }),
    };
    const request = { method, params, capabilities, signal: more.signal };
    return await messageOf(await postModern(path, key ?? this.tenant.agent, request));
  }

  #keepTools(): void {
    const { kernel } = this.api;
    const { tenantId } = this.tenant;
    const resource_id = newId('resource');
    const settings = { transport: 'http', url: 'https://mcp.example.org/mcp' };
    const resource = resourceOf(resource_id, { kind: 'mcp_server', name: 'tracker', settings });
    kernel.keep(tenantId, resource_id, 'resource', resource);
    const tools = [
      { name: 'ask', inputSchema: { type: 'object' } },
      { name: 'quiet', inputSchema: { type: 'object' } },
      ...serverRequests({ resources: {}, prompts: {} }),
    ];
    for (const tool of tools) {
      const asks = tool.name === 'quiet' ? undefined : ASKS;
      const server = { name: 'tracker', digest: 'd'.repeat(64), asks };
      const accepted = acceptedTool(server, tool.name.replaceAll('/', '_'), tool, 'write');
      const view = {
        tool: { ...accepted, version: 1 },
        definition_digest: '7'.repeat(64),
        applied_by: 's',
        applied_at: 1,
      };
      kernel.keep(tenantId, accepted.tool_id, 'tool', view);
    }
    kernel.handlers.set('mcp_server.find_tool', (_caller, { remote_name }) => {
      const found = tools.find((tool) => tool.name === remote_name);
      return { tool: found === undefined ? null : { tool_id: trackerTool(found.name), digest: remoteDigest(found) } };
    });
    kernel.handlers.set('mcp_server.definitions', () => ({ items: [], rest: [] }));
  }

  #keepTokens(): void {
    const { kernel } = this.api;
    const { tenantId } = this.tenant;
    const grant = { ...GRANT, tools: ['mcp.tracker.*'] };
    const kept = kernel.find({ tenant_id: tenantId } as never, this.has.capability_token_id) as object;
    for (const id of [this.token, this.other])
      kernel.keep(tenantId, id, 'token', { ...kept, capability_token_id: id, chain: [id], grant });
  }
}
