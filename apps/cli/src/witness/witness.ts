// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { formatCosignerKey, parseNoteKey, SignatureError, type NoteKey } from '@writ/signing';
import { Command } from 'commander';
import { EXIT, usage } from '../cli-error.ts';
import { show, showItem, type CommonOptions, type Context } from '../context.ts';
import { momentOf } from '../terminal.ts';
import { visible, visibleLine } from '../visible.ts';
import { witnessServer } from './serve-witness.ts';
import { WitnessFolder, type FoundEvidence } from './witness-folder.ts';

const PORT = '7490';
const PORT_MAX = 65_535;

interface FolderOptions extends CommonOptions {
  readonly dir: string;
}

interface ServeOptions extends FolderOptions {
  readonly log: readonly string[];
  readonly host: string;
  readonly port: string;
}

/** `writ witness`: verifies, from another machine than the log's, that a log shows everybody the same history. */
export function witnessCommand(context: Context): Command {
  return new Command('witness')
    .addCommand(keyCommand(context))
    .addCommand(serveCommand(context))
    .addCommand(evidenceCommand(context));
}

const inFolder = (command: Command): Command =>
  command.requiredOption('--dir <dir>', 'the folder with the key and the state of the witness');

function keyCommand(context: Context): Command {
  const command = inFolder(new Command('key'))
    .description('the public key of this witness; generated the first time')
    .option('--name <name>', 'its name, such as `witness.example/w1`');
  return command.action(() => {
    const options = command.optsWithGlobals<FolderOptions & { name?: string }>();
    const { name, signer } = new WitnessFolder(options.dir).signer(options.name);
    const key = formatCosignerKey(name, signer.publicKey);
    show(context, options, { name, key }, () => key);
  });
}

function serveCommand(context: Context): Command {
  const command = inFolder(new Command('serve'))
    .description('cosigns checkpoints of append-only logs (C2SP tlog-witness), until it is stopped')
    .requiredOption(
      '--log <key...>',
      'keys of the logs to watch, as in `log_keys` of writ-keys.json: all logs of that name',
    )
    .option('--host <address>', 'where to listen', '127.0.0.1')
    .option('--port <port>', '0 for any', PORT);
  return command.action(async () => {
    const options = command.optsWithGlobals<ServeOptions>();
    const folder = new WitnessFolder(options.dir);
    const signer = folder.signer();
    const onEvidence = (origin: string): void =>
      context.writeError(
        `evidence against ${visibleLine(origin)}: see \`writ witness evidence --dir ${options.dir}\`\n`,
      );
    const server = witnessServer({ folder, signer, logs: options.log.map(logKey), onEvidence });
    server.listen(portOf(options.port), options.host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const url = `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${String(port)}/`;
    const info = { name: signer.name, url, key: formatCosignerKey(signer.name, signer.signer.publicKey) };
    showItem(context, options, info, () => `${info.name} listens on ${url}\n${info.key}`);
    await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
    server.closeAllConnections();
    server.close();
  });
}

function evidenceCommand(context: Context): Command {
  const command = inFolder(new Command('evidence')).description(
    "checkpoints that contradict each other, both with the log's signature; status 1 if there are any",
  );
  return command.action(() => {
    const options = command.optsWithGlobals<FolderOptions>();
    const found = new WitnessFolder(options.dir).evidence();
    show(context, options, { evidence: found }, () => (found.length === 0 ? 'none' : found.map(describe).join('\n\n')));
    if (found.length > 0) context.setExit(EXIT.failed);
  });
}

const KIND_TEXTS: Readonly<Record<FoundEvidence['kind'], string>> = {
  fork: "two roots of one size: whoever holds the log's key showed two histories",
  unproven: 'the log did not prove that the second grew from the first',
};

const describe = ({ kind, origin, found_at, kept, shown }: FoundEvidence): string =>
  `${momentOf(found_at)} ${visibleLine(origin)}\n${KIND_TEXTS[kind]}\n\n${visible(kept)}\n${visible(shown)}`;

function logKey(text: string): NoteKey {
  try {
    return parseNoteKey(text);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw usage(`\`--log ${text}\` is no key of a log: it looks like \`name+hash+base64\``);
  }
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= PORT_MAX)) throw usage(`\`--port ${text}\` is no port`);
  return port;
}
