// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';

/** What a URL of a provider may take of the 2,048 characters that a URL has: the rest is for what is searched for. */
const URL_CHARS_MAX = 256;

/** What answers searches. `searxng`: whatever answers `GET <url>/search?q=…&format=json` as SearXNG does. */
export const SearchProvider = Type.Object(
  {
    kind: Type.Enum(['searxng']),
    url: Type.String({
      minLength: 1,
      maxLength: URL_CHARS_MAX,
      description: 'where it stands, without `/search`: `https://searx.example.org`',
    }),
  },
  { additionalProperties: false },
);
export type SearchProvider = Static<typeof SearchProvider>;
