// SPDX-License-Identifier: Apache-2.0
//
// A staged change is its token: what it says and a MAC over it, bound to who staged it. Nothing is kept of it but the
// arguments, as content of the tenant's store.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { BlobRef } from '@writ/contract';
import { sha256Hex } from '@writ/digest';

/** Whose change it is: it is applied by nobody else, with no other token, in no other session. */
export interface StagedFor {
  readonly tenant_id: string;
  readonly agent_id: string;
  readonly capability_token_id: string;
  readonly workspace_id: string;
  readonly session_id: string;
}

/** What is staged. */
export interface Staged {
  readonly tool: (typeof TOOLS)[number];
  /** canonical arguments, as JSON */
  readonly args: BlobRef;
  /** of the file as it was seen; null: there was none */
  readonly seen: string | null;
  /** milliseconds since the epoch */
  readonly expires_at: number;
}

/** Tools whose calls are staged, by the number that stands in tokens. */
const TOOLS = ['fs.write', 'fs.edit'] as const;

/** Half of SHA-256: 2^128 tries against ten minutes. */
const MAC_BYTES = 16;
const PLACES = { tool: 0, hasSeen: 1, size: 2, expires: 6, args: 12, seen: 44, end: 76 } as const;
/** base64url of all that without padding. */
const TEXT = /^[A-Za-z0-9_-]{123}$/;

/**
 * Makes and reads tokens of staged changes. The same change of the same moment has the same token, so a turn that is
 * posted again says the same.
 */
export class StagedTokens {
  readonly #key: Buffer;

  /** @param key 32 bytes, of which a key of its own is made */
  constructor(key: Buffer) {
    this.#key = Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), 'writ/staged/v1', 32));
  }

  make({ tool, args, seen, expires_at }: Staged, of: StagedFor): string {
    const bytes = Buffer.alloc(PLACES.end);
    bytes.writeUInt8(TOOLS.indexOf(tool), PLACES.tool);
    bytes.writeUInt8(seen === null ? 0 : 1, PLACES.hasSeen);
    bytes.writeUInt32BE(args.size, PLACES.size);
    bytes.writeUIntBE(expires_at, PLACES.expires, 6);
    bytes.write(args.sha256, PLACES.args, 'hex');
    if (seen !== null) bytes.write(seen, PLACES.seen, 'hex');
    return Buffer.concat([bytes, this.#mac(bytes, of)]).toString('base64url');
  }

  /** Null for whatever isn't a token of these. Attacker-controlled. */
  read(text: string, of: StagedFor): (Staged & { readonly id: string }) | null {
    if (!TEXT.test(text)) return null;
    const all = Buffer.from(text, 'base64url');
    const bytes = all.subarray(0, PLACES.end);
    if (!timingSafeEqual(all.subarray(PLACES.end), this.#mac(bytes, of))) return null;
    const tool = TOOLS[bytes.readUInt8(PLACES.tool)];
    if (tool === undefined) return null;
    return {
      // Of the bytes: base64 has more than one spelling of some.
      id: sha256Hex(bytes),
      tool,
      args: { sha256: bytes.toString('hex', PLACES.args, PLACES.seen), size: bytes.readUInt32BE(PLACES.size) },
      seen: bytes.readUInt8(PLACES.hasSeen) === 0 ? null : bytes.toString('hex', PLACES.seen, PLACES.end),
      expires_at: bytes.readUIntBE(PLACES.expires, 6),
    };
  }

  #mac(bytes: Buffer, { tenant_id, agent_id, capability_token_id, workspace_id, session_id }: StagedFor): Buffer {
    const bound = JSON.stringify([tenant_id, agent_id, capability_token_id, workspace_id, session_id]);
    return createHmac('sha256', this.#key).update(bytes).update(bound).digest().subarray(0, MAC_BYTES);
  }
}
