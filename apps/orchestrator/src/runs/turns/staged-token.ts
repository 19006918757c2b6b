// SPDX-License-Identifier: Apache-2.0
//
// A staged change is represented by its token: its content and a MAC over it, bound to its author. Only the arguments
// are stored, as a blob of the tenant.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { BlobRef } from '@writ/contract';

/** The owner of a staged change. It can only be applied by this agent, with this capability token, in this session. */
export interface StagedFor {
  readonly tenant_id: string;
  readonly agent_id: string;
  readonly capability_token_id: string;
  readonly workspace_id: string;
  readonly session_id: string;
}

/** The content of a token. */
export interface Staged {
  /** the dry run that showed the change: the kernel applies it only for this one */
  readonly shown_by: string;
  readonly tool: (typeof TOOLS)[number];
  /** canonical arguments, as JSON */
  readonly args: BlobRef;
  /** the hash of the file when the change was staged; null: there was no file */
  readonly seen: string | null;
  /** milliseconds since the epoch */
  readonly expires_at: number;
}

/** Tools whose calls can be staged; a token contains the index. */
const TOOLS = ['fs.write', 'fs.edit'] as const;

/** Half of SHA-256: 2^128 tries within the time of a token. */
const MAC_BYTES = 16;
const OFFSETS = { tool: 0, hasSeen: 1, size: 2, expires: 6, args: 12, seen: 44, shownBy: 76, end: 102 } as const;
/** Before the part of an operation's id that the token contains. */
const OPERATION = 'op_';
/** The token's text: base64url without padding. */
const TEXT = /^[A-Za-z0-9_-]{158}$/;

/**
 * Makes and reads tokens of staged changes. The same change at the same time has the same token, so a turn that is
 * posted again gets the same answer.
 */
export class StagedTokens {
  readonly #key: Buffer;

  /** @param key 32 bytes, from which the key of the MAC is derived */
  constructor(key: Buffer) {
    this.#key = Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), 'writ/staged/v1', 32));
  }

  make({ shown_by, tool, args, seen, expires_at }: Staged, of: StagedFor): string {
    const bytes = Buffer.alloc(OFFSETS.end);
    bytes.writeUInt8(TOOLS.indexOf(tool), OFFSETS.tool);
    bytes.writeUInt8(seen === null ? 0 : 1, OFFSETS.hasSeen);
    bytes.writeUInt32BE(args.size, OFFSETS.size);
    bytes.writeUIntBE(expires_at, OFFSETS.expires, 6);
    bytes.write(args.sha256, OFFSETS.args, 'hex');
    if (seen !== null) bytes.write(seen, OFFSETS.seen, 'hex');
    bytes.write(shown_by.slice(OPERATION.length), OFFSETS.shownBy, 'ascii');
    return Buffer.concat([bytes, this.#mac(bytes, of)]).toString('base64url');
  }

  /** Parses a token, which is attacker-controlled. Null for any text that isn't a valid token of this owner. */
  read(text: string, of: StagedFor): Staged | null {
    if (!TEXT.test(text)) return null;
    const all = Buffer.from(text, 'base64url');
    const bytes = all.subarray(0, OFFSETS.end);
    if (!timingSafeEqual(all.subarray(OFFSETS.end), this.#mac(bytes, of))) return null;
    const tool = TOOLS[bytes.readUInt8(OFFSETS.tool)];
    if (tool === undefined) return null;
    return {
      shown_by: `${OPERATION}${bytes.toString('ascii', OFFSETS.shownBy, OFFSETS.end)}`,
      tool,
      args: { sha256: bytes.toString('hex', OFFSETS.args, OFFSETS.seen), size: bytes.readUInt32BE(OFFSETS.size) },
      seen: bytes.readUInt8(OFFSETS.hasSeen) === 0 ? null : bytes.toString('hex', OFFSETS.seen, OFFSETS.shownBy),
      expires_at: bytes.readUIntBE(OFFSETS.expires, 6),
    };
  }

  #mac(bytes: Buffer, { tenant_id, agent_id, capability_token_id, workspace_id, session_id }: StagedFor): Buffer {
    const bound = JSON.stringify([tenant_id, agent_id, capability_token_id, workspace_id, session_id]);
    return createHmac('sha256', this.#key).update(bytes).update(bound).digest().subarray(0, MAC_BYTES);
  }
}
