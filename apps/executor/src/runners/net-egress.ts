// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantId } from '@writ/contract';
import { blobReader, type BlobStore } from '@writ/blobs';
import { coversPath } from '@writ/capability';
import { parseUrl } from '@writ/egress';
import { lookup, parsePath } from '@writ/workspace';
import type { CallGate, Headers } from '../egress/call-gate.ts';
import { exchange } from '../egress/exchange.ts';
import { bytesWithoutValues } from '../redaction/secret-work.ts';
import { headersOfCall, type WrittenHeader } from './call-headers.ts';
import { encodeBody, readBody } from './read-body.ts';
import { headersWithout } from './reply-headers.ts';
import type { Call, RunContext } from '../calls/runner.ts';

interface EgressArgs {
  readonly route: { readonly method: string; readonly url: string };
  readonly purpose: string;
  readonly payload_ref?: string;
  readonly content_type?: string;
  readonly headers?: readonly WrittenHeader[];
}

/** Headers that are sent unless the call sets them. */
const DEFAULT_HEADERS: Headers = [
  ['accept', '*/*'],
  ['accept-encoding', 'identity'],
  ['user-agent', 'writ'],
];

/** Runs `net.egress`: one request, one answer. @throws GateRefusal; Fault for a payload that can't be sent */
export async function netEgress(
  call: Call,
  gate: CallGate,
  blobs: BlobStore,
  work: RunContext['work'],
): Promise<unknown> {
  const { route, purpose, payload_ref, content_type, headers: given = [] } = call.args as unknown as EgressArgs;
  const target = parseUrl(route.url);
  const written = headersOfCall(call, given, target, DEFAULT_HEADERS);
  const body = payload_ref === undefined ? null : await payloadOf(call, blobs, payload_ref);
  const admitted = await gate.admit(route.method, target, purpose);
  try {
    const headers: Headers = [
      ...written,
      ...(body === null
        ? []
        : ([
            ['content-type', content_type ?? 'application/octet-stream'],
            ['content-length', String(body.length)],
          ] as const)),
    ];
    const answer = await exchange(admitted, { method: route.method, target, headers, body });
    const received = await readBody(answer, call.limits.output_bytes);
    return {
      status: answer.statusCode ?? 0,
      headers: headersWithout(answer, call.values),
      ...encodeBody({
        ...received,
        bytes: await bytesWithoutValues(call.values, received.bytes, received.truncated, work),
      }),
      size: received.bytes.length,
      truncated: received.truncated,
    };
  } finally {
    admitted.connection.destroy();
  }
}

/**
 * A file of the snapshot, if every token of the chain grants reading it. A link doesn't count as a file: its target was
 * not judged here.
 */
async function payloadOf(call: Call, blobs: BlobStore, written: string): Promise<Uint8Array> {
  const path = parsePath(written);
  if (!call.fs.every((roots) => coversPath(roots, 'read', path)))
    throw new Fault('token.scope', `the capability token does not let \`${path}\` be read`);
  const reader = blobReader(blobs, call.tenantId as TenantId);
  const entry = await lookup(reader, call.root, path);
  if (entry === null) throw new Fault('file.not_found', `there is no file \`${path}\``);
  if (entry.kind !== 'file') throw new Fault('file.kind', `\`${path}\` is no file`);
  if (entry.size > (call.limits.egress_bytes ?? 0))
    throw new Fault('file.too_large', `\`${path}\` is larger than the call may send`);
  return await reader(entry.sha256);
}
