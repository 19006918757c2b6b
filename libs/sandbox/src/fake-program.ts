// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import type { SandboxEnd, SandboxEntry, SandboxReason } from './sandbox.ts';

/** The environment of a fake command: the workspace is a map, and nothing else exists. */
export interface FakeWorld {
  readonly files: Map<string, SandboxEntry>;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Buffer;
  out(text: string | Uint8Array): void;
  err(text: string | Uint8Array): void;
  /** its standard input and output, where they are a connection; null where they are not */
  readonly stdio: Duplex | null;
  /** Opens a connection to the job's proxy; null where it has none, or too many connections. */
  connect(): Duplex | null;
}

/**
 * How a fake command ends: by a status, by a signal, not by itself (waiting, or busy on every processor), or as an
 * engine would end it.
 */
export type FakeEnd =
  | number
  | { readonly signal: string }
  | 'never'
  | 'busy'
  | { readonly ended: SandboxEnd; readonly reason: SandboxReason };

/** A stand-in for one command. */
export type FakeProgram = (world: FakeWorld) => FakeEnd | Promise<FakeEnd>;

/** The name of a job's stand-in: its command, or its program with the arguments. */
export const fakeNameOf = ({
  command,
  argv,
}: {
  readonly command: string;
  readonly argv?: readonly string[];
}): string => (argv === undefined ? command : argv.join(' '));
