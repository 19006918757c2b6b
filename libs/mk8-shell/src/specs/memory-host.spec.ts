// SPDX-License-Identifier: Apache-2.0
import type { Command, CommandEnded } from '../host/host.ts';
import { hostContract } from '../host/host.contract.ts';
import { Escape, MemoryHost } from './memory-host.ts';

/** The few programs of the contract. */
const PROGRAMS: Readonly<
  Record<string, (args: readonly string[], command: Command) => Partial<CommandEnded> | Promise<never>>
> = {
  printf: (args) => ({ stdout: args.at(-1) ?? '' }),
  false: () => ({ exit: 1 }),
  cat: ([path = '']) => ({ exit: 1, stderr: `cat: ${path}: No such file or directory\n` }),
  pwd: (_, { cwd }) => ({ stdout: `/workspace/${cwd}\n` }),
  env: (_, { env }) => ({
    stdout: Object.entries(env)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  }),
  sleep: () => Promise.reject(new Error('its time is over')),
};

hostContract('memory', () => {
  const host = new MemoryHost();
  host.process.answer = async (command) => {
    const [program = '', ...args] = command.argv;
    const run = PROGRAMS[program];
    if (run === undefined) throw new Error(`there is no \`${program}\``);
    if ((await host.files.resolve(command.cwd)) === null) throw new Escape(command.cwd);
    const { exit = 0, stdout = '', stderr = '' } = await run(args, command);
    return {
      exit,
      stdout: stdout.slice(0, command.stdoutBytesMax),
      stderr,
      cutBytes: Math.max(0, stdout.length - command.stdoutBytesMax),
    };
  };
  host.net.answer = ({ bytesMax }) => ({ body: Buffer.from('hello').subarray(0, bytesMax), isCut: bytesMax < 5 });
  return {
    host,
    link: (path, target) => {
      host.files.link(path, target);
    },
  };
});
