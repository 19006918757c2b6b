// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@writ/testing';

/** An MCP server as a client's configuration names it. */
export interface ConfiguredServer {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The blocks of docs/how-to/mcp.md in a language, as a reader would fill them in. */
export const mcpGuideBlocks = (
  language: string,
  { url, tokenId, key }: { readonly url: string; readonly tokenId: string; readonly key: string },
): string[] =>
  [...readFileSync(join(repositoryRoot(), 'docs/how-to/mcp.md'), 'utf8').matchAll(/```(\w+)\n([\s\S]*?)\n```/g)]
    .filter(([, of]) => of === language)
    .map(([, , block = '']) =>
      block
        .replaceAll('http://127.0.0.1:7480', url)
        .replaceAll('cap_…', tokenId)
        .replaceAll(/writ_…|\$\{WRIT_API_KEY\}|\$\{env:WRIT_API_KEY\}|\$\{input:writ-key\}/g, key),
    );

/** Whether a configuration is that of a mount. */
export const isMount = (block: string): boolean => block.includes('?server=');
