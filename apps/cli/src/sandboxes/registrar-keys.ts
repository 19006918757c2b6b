// SPDX-License-Identifier: Apache-2.0
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { KEYID, RegistrarKeyView } from '@writ/contract';
import { parseSigner, parseVerifier, SignatureError, type PublicJwk, type Signer } from '@writ/signing';
import { Command, InvalidArgumentError } from 'commander';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { listCommand } from '../list-command.ts';
import { readNamedFile, readNamedText } from '../read-named-file.ts';
import { fieldsOf, momentOf } from '../terminal.ts';
import { writeWhole } from '../write-whole.ts';
import { createVerb } from '../verbs.ts';

/** Only the owner may read the file: the key in it signs sandboxes. */
const PRIVATE_MODE = 0o600;

/** `writ sandbox key`: keys of registrars. Private keys stay in files of the registrars; public keys are registered. */
export function keyCommand(context: Context): Command {
  return new Command('key')
    .description('keys of registrars, who sign sandboxes')
    .addCommand(
      listCommand(context, {
        item: RegistrarKeyView,
        path: '/v1/registrar-keys',
        head: ['since', 'key', 'state', 'note'],
        rowOf: ({ created_at, keyid, state, note }) => [momentOf(created_at), keyid, state, note ?? ''],
      }),
      { isDefault: true },
    )
    .addCommand(newCommand(context))
    .addCommand(addCommand(context))
    .addCommand(endCommand(context, 'retire', 'its signatures stay valid, and it signs nothing more'))
    .addCommand(endCommand(context, 'revoke', 'no sandbox that it signed runs anything until another key signs it'));
}

/** A registrar's private key. @throws CliError `usage` */
export function readRegistrarKey(path: string): Signer {
  try {
    return parseSigner(readNamedText(path, '--key'));
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw usage(`\`${path}\` holds no Ed25519 private key (PKCS #8, PEM): make one with \`writ sandbox key new FILE\``);
  }
}

function newCommand(context: Context): Command {
  const command = new Command('new')
    .description('makes a key pair, in a file that you keep; needs no server')
    .argument('<file>');
  return command.action((file: string) => {
    const path = resolve(context.cwd, file);
    if (existsSync(path)) throw usage(`\`${path}\` is there already: a key is never written over`);
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    writeWhole(path, pem, PRIVATE_MODE);
    const { keyid, publicJwk } = parseSigner(pem);
    show(context, command.optsWithGlobals<CommonOptions>(), { keyid, public_key: publicJwk, file: path }, () =>
      fieldsOf({ key: keyid, file: path, next: `writ sandbox key create ${file}` }),
    );
  });
}

function addCommand(context: Context): Command {
  const command = createVerb('add')
    .description('registers the public half of a key; the private one stays in its file')
    .argument('<file>', 'PEM: a private key, or a public one')
    .option('--note <text>', 'a note for people');
  return command.action(async (file: string) => {
    const { note, ...common } = command.optsWithGlobals<CommonOptions & { note?: string }>();
    const key = await connect(context, common, 'admin').client.read(RegistrarKeyView, '/v1/registrar-keys', {
      method: 'POST',
      body: { public_key: readPublicKey(resolve(context.cwd, file)), note },
    });
    show(context, common, key, () => describe(key));
  });
}

function endCommand(context: Context, verb: 'retire' | 'revoke', description: string): Command {
  // One id in 64 begins with `-`, so unknown options are allowed here, and `parseKeyid` rejects those.
  const command = new Command(verb)
    .description(description)
    .argument('<key>', 'its id', parseKeyid)
    .allowUnknownOption();
  return command.action(async (keyid: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const key = await connect(context, options, 'admin').client.read(
      RegistrarKeyView,
      `/v1/registrar-keys/${encodeURIComponent(keyid)}/${verb}`,
      { method: 'POST', body: {} },
    );
    show(context, options, key, () => describe(key));
  });
}

/** Parses an RFC 7638 thumbprint in base64url. */
function parseKeyid(text: string): string {
  if (!new RegExp(KEYID).test(text))
    throw new InvalidArgumentError(`\`${text}\` is no id of a key: \`writ sandbox key list\` shows them`);
  return text;
}

/** The public key of a PEM file, which may hold a private or a public key. @throws CliError `usage` */
function readPublicKey(path: string): PublicJwk {
  const pem = readNamedFile(path);
  try {
    const jwk = createPublicKey(pem).export({ format: 'jwk' });
    parseVerifier(jwk);
    return { kty: 'OKP', crv: 'Ed25519', x: String(jwk.x) };
  } catch (error) {
    throw usage(
      `\`${path}\` holds no Ed25519 key in PEM (${error instanceof SignatureError ? error.message : 'unreadable'})`,
    );
  }
}

const describe = ({ keyid, state, note, created_at, ended_at }: RegistrarKeyView): string =>
  fieldsOf({
    key: keyid,
    state,
    since: momentOf(created_at),
    ...(ended_at === null ? {} : { ended: momentOf(ended_at) }),
    ...(note === null ? {} : { note }),
  });
