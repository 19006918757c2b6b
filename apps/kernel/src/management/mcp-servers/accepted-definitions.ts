// SPDX-License-Identifier: Apache-2.0
//
// Makes tools of definitions that are being accepted. Attacker-controlled: the server wrote each definition, and up to
// a listing of them is accepted at once.
import { Fault, type McpTool } from '@writ/contract';
import { acceptedTool, defaultCategory, mcpToolId, type ServerOfTool } from '@writ/mcp-tool';
import { definitionIn } from './tool-view.ts';

/** Definitions that are accepted together: of one server. */
export interface DefinitionsToAccept {
  readonly server: ServerOfTool;
  readonly tools: readonly { readonly tool_id: string; readonly bytes: Uint8Array }[];
}

/** The document of a tool, without its version. Its category is that of its hints, until the caller decides. */
export type AcceptedDraft = Omit<McpTool, 'version'>;

/** The documents of the tools, in their order. For a worker thread. @throws Fault `request.malformed` */
export function readDefinitions({ server, tools }: DefinitionsToAccept): readonly AcceptedDraft[] {
  return tools.map(({ tool_id, bytes }) => {
    const definition = definitionIn(bytes);
    const local = tool_id.slice(mcpToolId(server.name, '').length);
    return acceptedTool(server, local, definition, defaultCategory(definition));
  });
}

/** The drafts by the digests of their definitions. */
export class DraftsByDigest {
  readonly #drafts: ReadonlyMap<string, AcceptedDraft>;
  readonly #asks: ServerOfTool['asks'];

  /** @param asks what the server might ask for when the drafts were made */
  constructor(drafts: readonly AcceptedDraft[], asks: ServerOfTool['asks']) {
    this.#asks = asks;
    this.#drafts = new Map(drafts.map((draft) => [draft.remote_digest, draft]));
  }

  /**
   * The draft for the definition that a row has within the transaction that accepts it.
   * @throws Fault `conflict` where the server lists it, or may ask for something else, since the drafts were made
   */
  of(
    { tool_id, seen_digest }: { readonly tool_id: string; readonly seen_digest: string | null },
    { asks }: ServerOfTool,
  ): AcceptedDraft {
    if ((asks ?? []).join() !== (this.#asks ?? []).join())
      throw new Fault('conflict', 'the settings of the server have changed meanwhile: look at them again');
    const draft = this.#drafts.get(seen_digest ?? '');
    if (draft?.tool_id !== tool_id)
      throw new Fault('conflict', `the server describes \`${tool_id}\` otherwise by now: look at it again`);
    return draft;
  }
}
