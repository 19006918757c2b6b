// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  isMcpStdio,
  MCP_LIMITS,
  PERSON_TOKEN,
  RESOURCE_SECRET_PREFIX,
  type McpHttpSettings,
  type McpStdioSettings,
} from '@writ/contract';
import { parseUrl, TargetError, type PrivateEndpoint } from '@writ/egress';
import type { CallGate } from '../../egress/call-gate.ts';
import type { EgressPorts } from '../../egress/egress-ports.ts';
import { GateRefusal } from '../../egress/gate-refusal.ts';
import { openOwnGate } from '../../egress/own-gate.ts';
import type { ClaimedServer, McpReport } from '../../foundation/kernel-client.ts';
import type { NamedValue } from '../../redaction/redactor.ts';
import { lookForAuthorization } from '../mcp-oauth/look-for-authorization.ts';
import { McpCallError } from './mcp-failure.ts';
import type { Listed } from './mcp-intake.ts';
import { McpSender } from './mcp-sender.ts';
import type { McpSessions } from './mcp-sessions.ts';
import type { ListedPrograms } from './stdio/listed-programs.ts';

/** More than a session may receive, with what is around it. */
const BYTES_MAX = 20 * 1_048_576;
const REQUESTS_MAX = 64;
const MESSAGE_CHARS_MAX = 2_048;
/** For the thread to start and to end, within the time that an executor has. */
const MARGIN_MS = 5_000;

export interface ListServerParts {
  readonly sessions: McpSessions;
  readonly ports: EgressPorts;
  /** endpoints that may have private addresses */
  readonly privateEndpoints: readonly PrivateEndpoint[];
  /** for servers that are programs; absent: this executor has no containers, and claims none of these */
  readonly programs?: ListedPrograms;
}

/** Lists the tools of a server, in the name of its tenant. @throws what is no failure of the server */
export async function listServer(parts: ListServerParts, server: ClaimedServer, stop: AbortSignal): Promise<Listed> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(MCP_LIMITS.listingMs)]);
  if (isMcpStdio(server.resource.settings))
    return await listProgram(parts, server, server.resource.settings, signal, stop);
  const settings = server.resource.settings as McpHttpSettings;
  const found = await lookForAuthorization(parts, settings, signal);
  const hasToken = `${RESOURCE_SECRET_PREFIX}${PERSON_TOKEN}` in server.secrets;
  if (found !== null && !hasToken) return 'problem' in found ? found : { ...found, problem: NOBODY_LISTS };
  const listing = await listTools(parts, server, signal, stop);
  // Where it wasn't found, the tools are listed all the same: the token is good.
  return found === null || 'problem' in found ? listing : { ...listing, ...found };
}

/** Of a server whose authorization server is known, and whose tools nobody's rights list. */
const NOBODY_LISTS = {
  code: 'mcp.consent_required',
  message:
    "nobody's connection lists the tools of the server: an administrator connects with `writ mcp-server connect NAME --lists`",
} as const;

async function listTools(
  parts: ListServerParts,
  server: ClaimedServer,
  signal: AbortSignal,
  stop: AbortSignal,
): Promise<Listed> {
  const settings = server.resource.settings as McpHttpSettings;
  let gate: CallGate | null = null;
  try {
    gate = gateTo(parts, settings.url, signal);
    return await listed(parts, server, gate, signal);
  } catch (error) {
    return listingProblem(error, signal, stop);
  } finally {
    gate?.close();
  }
}

async function listed(
  { sessions }: ListServerParts,
  { tenant_id: tenantId, resource, secrets }: ClaimedServer,
  gate: CallGate,
  signal: AbortSignal,
): Promise<Listed> {
  const values = Object.entries(secrets).map(
    ([name, value]) => [name.slice(RESOURCE_SECRET_PREFIX.length), value] as const,
  );
  const timeoutMs = MCP_LIMITS.listingMs - MARGIN_MS;
  const sender = new McpSender(gate, {
    settings: resource.settings as McpHttpSettings,
    resourceSecrets: Object.fromEntries(values),
    isSafe: true,
    idleMs: timeoutMs,
  });
  const named = values.map(([, value]): NamedValue => ['RESOURCE', value]);
  const work = { timeoutMs, isLegacy: false, methods: ['DELETE'] as const, named };
  const { listing, about } = await sessions.run(
    { tenantId, signal, timeoutMs, mayCall: false, send: sender.send },
    (pool, port, options) => pool.run('mcp.list', { ...work, port }, options),
  );
  return { bytes: listing, about };
}

/** A gate to one address, for as long as the claim lives. An administrator wrote the address. */
function gateTo({ ports, privateEndpoints }: ListServerParts, url: string, signal: AbortSignal): CallGate {
  const { host, port } = parseUrl(url);
  return openOwnGate({
    rules: [{ domain: host, methods: ['POST', 'DELETE'], ports: [port] }],
    privateEndpoints,
    bytesMax: BYTES_MAX,
    requestsMax: REQUESTS_MAX,
    ports,
    signal,
  });
}

/** What a listing failed with. @throws the error where it is no failure of the server */
function listingProblem(error: unknown, signal: AbortSignal, stop: AbortSignal): Listed {
  if (stop.aborted) throw error;
  const problem = problemOf(error, signal);
  if (problem === null) throw error;
  return { problem: { ...problem, message: problem.message.slice(0, MESSAGE_CHARS_MAX).toWellFormed() } };
}

/** INVARIANT (no way out): a program is listed in nobody's name, so that nothing says what it may reach. */
async function listProgram(
  { programs }: ListServerParts,
  { tenant_id: tenantId, resource, secrets, image_digest, image }: ClaimedServer,
  settings: McpStdioSettings,
  signal: AbortSignal,
  stop: AbortSignal,
): Promise<Listed> {
  if (programs === undefined || image_digest === undefined)
    throw new Fault('permit.invalid', 'a program came without its image, or without containers to run it in');
  try {
    const started = await programs.imageOf({ tenantId, digest: image_digest, image }, signal);
    const { listing, about } = await programs.list({
      tenantId,
      resourceId: resource.resource_id,
      settings,
      image: started,
      resourceSecrets: Object.fromEntries(
        Object.entries(secrets).map(([name, value]) => [name.slice(RESOURCE_SECRET_PREFIX.length), value]),
      ),
      signal,
    });
    return { bytes: listing, about };
  } catch (error) {
    return listingProblem(error, signal, stop);
  }
}

/** Null for what is no failure of the server. */
function problemOf(error: unknown, signal: AbortSignal): McpReport['problem'] {
  if (error instanceof McpCallError && error.code !== 'command.timeout')
    return { code: error.code, message: error.message };
  if (error instanceof McpCallError || signal.aborted)
    return { code: 'mcp.unreachable', message: 'the server did not list its tools in time' };
  if (error instanceof GateRefusal) return { code: error.code, message: error.message };
  if (error instanceof Fault && error.code === 'image.unavailable') return { code: error.code, message: error.message };
  return error instanceof TargetError ? { code: 'egress.refused', message: error.message } : null;
}
