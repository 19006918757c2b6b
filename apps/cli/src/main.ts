// SPDX-License-Identifier: Apache-2.0
import { buffer } from 'node:stream/consumers';
import { askPerson } from './ask-person.ts';
import { NodeTerminal } from './chat/node-terminal.ts';
import { processEnvironment } from './config.env.ts';
import { openPage } from './open-page.ts';
import { runCli } from './program.ts';
import { readHidden } from './read-hidden.ts';
import { textOf } from './utf8.ts';

// A reader that closes the pipe early, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const env = processEnvironment();

process.exitCode = await runCli(process.argv.slice(2), {
  cwd: process.cwd(),
  env,
  write: (words) => {
    process.stdout.write(words);
  },
  writeError: (words) => {
    process.stderr.write(words);
  },
  readStdin: async () => textOf(await buffer(process.stdin), 'standard input'),
  readHidden: async (prompt) => await readHidden(prompt, process.stdin, process.stderr),
  confirm: process.stdin.isTTY ? async (question) => await askPerson(question, process.stdin, process.stderr) : null,
  streamStdin: () => process.stdin,
  showProgress: process.stderr.isTTY
    ? (line) => {
        process.stderr.write(`\r\u001b[K${line}`);
      }
    : null,
  terminal: process.stdin.isTTY && process.stdout.isTTY ? new NodeTerminal(process.stdin, process.stdout) : null,
  onInterrupt: (heard) => {
    process.on('SIGINT', heard);
    return () => {
      process.off('SIGINT', heard);
    };
  },
  setExit: () => undefined,
  openPage: async (url) => await openPage(url, env.hasDisplay),
});
