// SPDX-License-Identifier: Apache-2.0
// The work of a session, and what it ends with: all of it passes between threads.
import type { MessagePort } from 'node:worker_threads';
import type { JsonSchemaText, McpAbout, McpInput, McpQuestion, McpRemoteTool } from '@writ/contract';
import type { McpFailure } from './mcp-error.ts';
import type { LineWork } from './stdio/line-messages.ts';

/** A session with a server. */
export interface ListWork {
  /** the thread's end of a `RequestRelay` */
  readonly port: MessagePort;
  readonly timeoutMs: number;
  /** whether the server spoke the revision 2025-11-25 lately, so that it isn't asked for a newer one first */
  readonly isLegacy: boolean;
  /** methods beside POST that the relay sends: GET resumes an answer, DELETE ends a session */
  readonly methods: readonly ('GET' | 'DELETE')[];
  /** for a program, whose end of the port is that of a `LineRelay`; absent: the server is reached over HTTP */
  readonly lines?: LineWork;
}

/** A call of one tool, or of a request of MCP that is a tool of Writ. */
export interface CallWork extends ListWork {
  readonly name: string;
  /** the hex SHA-256 of the definition that the call was decided on */
  readonly digest: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** the definition that a listing had which is still valid; null: the tools are listed before the call */
  readonly known: Uint8Array | null;
  /** the schema of the structured part of a result; null for none */
  readonly output: JsonSchemaText | null;
  /** the client's side of a question; absent: the server may ask for nothing */
  readonly input?: McpInput;
}

/** A tool that can't be used, and why. */
export interface SkippedTool {
  readonly name: string;
  readonly problem: string;
}

export interface Listing {
  readonly tools: readonly McpRemoteTool[];
  readonly skipped: readonly SkippedTool[];
  /** of the JSON of the tools */
  readonly bytes: number;
  /** how long the server says that it is valid, in milliseconds; 0 where it says nothing */
  readonly ttlMs: number;
  /** what the server says about itself */
  readonly about: McpAbout;
  /** whether the server speaks the revision 2025-11-25, or an older one */
  readonly isLegacy: boolean;
}

/** Hints of a server for a client: whom a part is for, how much it matters, and how old it is. */
export interface RemoteAnnotations {
  readonly audience?: readonly ('user' | 'assistant')[];
  /** from 0 to 1 */
  readonly priority?: number;
  readonly lastModified?: string;
}

export type RemoteContent = { readonly annotations?: RemoteAnnotations } & (
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly mimeType: string; readonly data: string }
  | {
      readonly type: 'resource';
      readonly resource: {
        readonly uri: string;
        readonly mimeType?: string;
        readonly text?: string;
        readonly blob?: string;
      };
    }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly title?: string;
      readonly description?: string;
      readonly mimeType?: string;
      readonly size?: number;
    }
);

/** What a tool answered. */
export interface RemoteAnswer {
  readonly content: readonly RemoteContent[];
  /** any JSON; null for none */
  readonly structured: unknown;
  /** the tool ran and says that it failed */
  readonly is_error: boolean;
  /** what the server asks for instead of an answer; absent: it answered */
  readonly asks?: McpQuestion;
}

/** The tool of a call as its server listed it. It is bytes alone, since a value costs time where it arrives. */
export interface ListedTool {
  /** the bytes that the digest is of: RFC 8785 */
  readonly definition: Uint8Array;
  /** as of the listing */
  readonly ttlMs: number;
  readonly isLegacy: boolean;
}

export interface CallDone {
  readonly answer: RemoteAnswer;
  /**
   * the tool in the listing before the call; null where a known definition was used. A request of MCP has no listing,
   * and this tells the revision alone
   */
  readonly listed: ListedTool | null;
}

/** What a session ended with. A thread passes on no class of errors. */
export type SessionDone<T> =
  { readonly value: T } | { readonly failed: { readonly reason: McpFailure; readonly message: string } };
