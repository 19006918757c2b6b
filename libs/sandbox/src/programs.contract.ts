// SPDX-License-Identifier: Apache-2.0
import { CONNECTED_PROGRAMS } from './connected-jobs.contract.ts';
import type { FakeProgram, FakeWorld } from './fake-program.ts';

/** Commands of the contract suite, each with its fake. */
const put = (world: FakeWorld, path: string, content: string | Uint8Array, mode: '644' | '755' = '644') =>
  world.files.set(path, { path, kind: 'file', mode, bytes: Buffer.from(content) });
const textOf = (world: FakeWorld, path: string): string => {
  const file = world.files.get(path);
  return file?.kind === 'file' ? Buffer.from(file.bytes).toString() : '';
};

export const COMMANDS = {
  succeed: 'true',
  failAfterWriting: 'echo x > made; exit 7',
  terminateItself: 'kill -TERM $$',
  speakInTurn: 'echo one; sleep 0.1; echo two >&2; sleep 0.1; echo three',
  edit: 'echo more >> edited.txt',
  rewriteAlike: 'cp same.txt copy && rm same.txt && mv copy same.txt && touch -d 2001-01-01 other.txt',
  rename: 'mv old.txt new.txt',
  makeExecutable: 'chmod +x script.sh',
  link: 'ln -s ../outside link && ln -sfn b.txt moved',
  folders:
    'mkdir empty && rm left/only.txt && echo x > was-empty/file && mkdir -p new/deep && echo x > new/deep/file && rmdir gone && rm -r whole',
  unicode: 'mv grün.txt 緑.txt && echo x > "a b\nc"',
  replaceKinds: 'rm thing && mkdir thing && echo x > thing/inner && rm -r tree && echo y > tree',
  double: 'cat large.bin large.bin > twice.bin',
  count: 'find . -type f | wc -l',
  runOn: 'sleep 1000',
  speakNowAndThen: 'for i in 1 2 3 4 5; do echo $i; sleep 0.4; done',
  speakThenWait: 'echo x > made; echo one; sleep 1000',
  burn: 'echo x > made; while :; do :; done',
  flood: 'head -c 1000000 /dev/zero | tr "\\0" x',
  makeMany: 'for i in 1 2 3 4 5 6; do echo x > $i; done',
  makeLarge: 'head -c 5000 /dev/zero > large',
  describe: 'echo "$GREETING from $(basename "$PWD")"; cat',
  look: 'ls',
  speakOut: 'exec 3<>/dev/tcp/127.0.0.1/${http_proxy##*:} && echo ping >&3 && head -n1 <&3',
} as const;

const PROGRAMS_BY_NAME: Record<keyof typeof COMMANDS, FakeProgram> = {
  succeed: () => 0,
  failAfterWriting: (world) => {
    put(world, 'made', 'x\n');
    return 7;
  },
  terminateItself: () => ({ signal: 'SIGTERM' }),
  speakInTurn: (world) => {
    world.out('one\n');
    world.err('two\n');
    world.out('three\n');
    return 0;
  },
  edit: (world) => {
    put(world, 'edited.txt', `${textOf(world, 'edited.txt')}more\n`);
    return 0;
  },
  rewriteAlike: (world) => {
    put(world, 'same.txt', textOf(world, 'same.txt'));
    return 0;
  },
  rename: (world) => {
    put(world, 'new.txt', textOf(world, 'old.txt'));
    world.files.delete('old.txt');
    return 0;
  },
  makeExecutable: (world) => {
    put(world, 'script.sh', textOf(world, 'script.sh'), '755');
    return 0;
  },
  link: (world) => {
    world.files.set('link', { path: 'link', kind: 'symlink', mode: null, target: '../outside' });
    world.files.set('moved', { path: 'moved', kind: 'symlink', mode: null, target: 'b.txt' });
    return 0;
  },
  folders: (world) => {
    for (const path of ['left/only.txt', 'gone', 'whole/a', 'whole/b/c']) world.files.delete(path);
    world.files.delete('whole');
    for (const path of ['empty', 'left']) world.files.set(path, { path, kind: 'dir', mode: null });
    put(world, 'was-empty/file', 'x\n');
    put(world, 'new/deep/file', 'x\n');
    return 0;
  },
  unicode: (world) => {
    put(world, '緑.txt', textOf(world, 'grün.txt'));
    world.files.delete('grün.txt');
    put(world, 'a b\nc', 'x\n');
    return 0;
  },
  replaceKinds: (world) => {
    for (const path of ['thing', 'tree/a']) world.files.delete(path);
    put(world, 'thing/inner', 'x\n');
    put(world, 'tree', 'y\n');
    return 0;
  },
  double: (world) => {
    const large = world.files.get('large.bin');
    if (large?.kind === 'file') put(world, 'twice.bin', Buffer.concat([large.bytes, large.bytes]));
    return 0;
  },
  count: (world) => {
    world.out(`${[...world.files.values()].filter(({ kind }) => kind === 'file').length}\n`);
    return 0;
  },
  runOn: () => 'never',
  speakNowAndThen: (world) => {
    for (const i of '12345') world.out(`${i}\n`);
    return 0;
  },
  speakThenWait: (world) => {
    put(world, 'made', 'x\n');
    world.out('one\n');
    return 'never';
  },
  burn: (world) => {
    put(world, 'made', 'x\n');
    return 'busy';
  },
  flood: (world) => {
    world.out('x'.repeat(1_000_000));
    return 0;
  },
  makeMany: (world) => {
    for (const name of '123456') put(world, name, 'x\n');
    return 0;
  },
  makeLarge: (world) => {
    put(world, 'large', Buffer.alloc(5000));
    return 0;
  },
  describe: (world) => {
    world.out(`${world.env['GREETING'] ?? ''} from ${world.cwd.split('/').at(-1) ?? ''}\n`);
    world.out(world.stdin);
    return 0;
  },
  speakOut: async (world) => {
    const connection = world.connect();
    if (connection === null) return 1;
    connection.write('ping\n');
    try {
      for await (const bytes of connection) {
        world.out(bytes as Buffer);
        return 0;
      }
    } catch {
      // The connection was reset, and the shell's `head` reads nothing either.
    }
    return 1;
  },
  look: (world) => {
    world.out([...world.files.keys()].map((path) => `${path}\n`).join(''));
    return 0;
  },
};

/** The fake's programs for the commands above. */
export const PROGRAMS: Readonly<Record<string, FakeProgram>> = {
  ...Object.fromEntries(
    Object.entries(PROGRAMS_BY_NAME).map(([name, program]) => [COMMANDS[name as keyof typeof COMMANDS], program]),
  ),
  ...CONNECTED_PROGRAMS,
};
