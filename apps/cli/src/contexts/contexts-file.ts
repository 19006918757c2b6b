// SPDX-License-Identifier: Apache-2.0
//
// The contexts of a person: servers with a credential each. INVARIANT (one source): a credential stays with the address
// that it was given for. No command changes the address of a context, so a credential can't be sent elsewhere.
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { didYouMean, parseMessage } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { CliError, EXIT, usage } from '../cli-error.ts';
import type { Environment } from '../config.env.ts';
import { writeWhole } from '../write-whole.ts';

/** The name of the local set-up, `.writ/cli.json`, which is no entry of the file. */
export const LOCAL = 'local';

const Defaults = {
  workspace_id: Type.Optional(Type.String()),
  capability_token_id: Type.Optional(Type.String()),
  agent_id: Type.Optional(Type.String()),
};
/** How the server knows the caller. Other kinds may follow, so a newer program's file is refused, not misread. */
const ApiKeyCredential = Type.Object({ kind: Type.Literal('api_key'), secret: Type.String({ minLength: 1 }) });
/** A session of `writ login`. */
const SessionCredential = Type.Object({
  kind: Type.Literal('session'),
  tenant_id: Type.String(),
  /** null: signed out */
  secret: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
  /** when this text of it came, and when the session ends in any case: milliseconds since the epoch */
  renewed_at: Type.Integer(),
  expires_at: Type.Integer(),
});
export type SessionCredential = Static<typeof SessionCredential>;
const Credential = Type.Union([ApiKeyCredential, SessionCredential]);

export const StoredContext = Type.Object({ url: Type.String(), credential: Credential, ...Defaults });
export type StoredContext = Static<typeof StoredContext>;

/** Open: members that a newer program adds stay when this one writes. */
const ContextsFile = Type.Object({
  current: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  contexts: Type.Record(Type.String(), StoredContext),
});
export type ContextsFile = Static<typeof ContextsFile>;

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Only the owner reads and writes it. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const OTHERS = 0o077;

/** @throws CliError `usage` for a name that no context can have */
export function verifyContextName(name: string): string {
  if (!NAME.test(name) || name === LOCAL)
    throw usage(
      `\`${name}\` is no name for a context: up to 64 letters, digits, \`.\`, \`_\` and \`-\`, but not \`${LOCAL}\``,
    );
  return name;
}

/** The contexts; none where there is no file. @throws CliError `contexts` */
export function readContexts({ contextsFile: path }: Environment): ContextsFile {
  if (path === undefined || statSync(path, { throwIfNoEntry: false }) === undefined) return { contexts: {} };
  // Credentials that others can read have to be replaced, so they are not used in silence.
  if ((statSync(path).mode & OTHERS) !== 0)
    throw new CliError('contexts', `\`${path}\` is open to other users: chmod 600 ${path}`, EXIT.usage);
  try {
    return parseMessage(ContextsFile, JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new CliError(
      'contexts',
      `\`${path}\` can't be read: is it of a newer \`writ\`? Correct it, or delete it and create your contexts again`,
      EXIT.usage,
      { cause },
    );
  }
}

/** @throws CliError `contexts` without a home folder */
export function writeContexts({ contextsFile: path }: Environment, file: ContextsFile): void {
  if (path === undefined)
    throw new CliError('contexts', 'there is no folder for contexts: set HOME or XDG_CONFIG_HOME', EXIT.usage);
  mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE });
  // What a crash left behind keeps its mode, and the mode is for new files.
  rmSync(`${path}.next`, { force: true });
  writeWhole(path, `${JSON.stringify(file, null, 2)}\n`, FILE_MODE);
  chmodSync(path, FILE_MODE);
}

/** @throws CliError `usage` with the context that was meant */
export function contextNamed({ contexts }: ContextsFile, name: string): StoredContext {
  const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (found === undefined)
    throw new CliError(
      'contexts',
      `there is no context \`${name}\`${didYouMean(name, Object.keys(contexts)) || '; `writ context create` makes one'}`,
      EXIT.usage,
    );
  return found;
}
