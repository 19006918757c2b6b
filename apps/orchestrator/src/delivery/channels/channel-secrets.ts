// SPDX-License-Identifier: Apache-2.0
import { openBytes, sealBytes } from '@writ/sealing';

/** The channel to which an encrypted credential is bound: it opens for no other. */
export interface ChannelOf {
  readonly tenant_id: string;
  readonly channel_id: string;
}

/** Credentials of channels: stored encrypted, never shown, and decrypted to send. */
export class ChannelSecrets {
  readonly #key: Buffer;

  /** @param key 32 bytes */
  constructor(key: Buffer) {
    this.#key = key;
  }

  seal(of: ChannelOf, text: string): Buffer {
    return sealBytes(this.#key, Buffer.from(text, 'utf8'), boundTo(of));
  }

  /** @throws UnopenableError for a credential of another channel or under another key */
  open(of: ChannelOf, sealed: Buffer): string {
    return Buffer.from(openBytes(this.#key, sealed, boundTo(of))).toString('utf8');
  }
}

const boundTo = ({ tenant_id, channel_id }: ChannelOf): string => `writ/channel/v1\n${tenant_id}\n${channel_id}`;
