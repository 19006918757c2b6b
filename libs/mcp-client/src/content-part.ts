// SPDX-License-Identifier: Apache-2.0
import { amount, annotations, base64, oneOf, record, text, type Read } from './read-reply.ts';
import type { RemoteContent } from './session-work.ts';

const type = text;
const RESOURCE = record({ uri: text }, { mimeType: text, text, blob: base64 });

/** The contents of a resource: a text, or bytes in base64. */
export const resourceContents: Read<Readonly<Record<string, unknown>>> = (value, place) => {
  const read = RESOURCE(value, place);
  if (read['text'] === undefined && read['blob'] === undefined) text(undefined, `${place}/text`);
  return read;
};

const bytes = record({ type, mimeType: text, data: base64 }, { annotations });
const BY_TYPE = {
  text: record({ type, text }, { annotations }),
  image: bytes,
  audio: bytes,
  resource: record({ type, resource: resourceContents }, { annotations }),
  resource_link: record(
    { type, uri: text, name: text },
    { title: text, description: text, mimeType: text, size: amount, annotations },
  ),
} as const satisfies Record<RemoteContent['type'], unknown>;
const typed = record({ type: oneOf(...(Object.keys(BY_TYPE) as RemoteContent['type'][])) });

/** A part of a result or of a prompt. @throws McpError `malformed` */
export const contentPart: Read<RemoteContent> = (value, place) => {
  const { type: kind } = typed(value, place) as Pick<RemoteContent, 'type'>;
  return BY_TYPE[kind](value, place) as unknown as RemoteContent;
};
