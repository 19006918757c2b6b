// SPDX-License-Identifier: Apache-2.0
import type { Command, CommandEnded } from './host.ts';
import type { Inside } from './inside.contract.ts';

const never = new AbortController().signal;
const LONG_MS = 60_000;
const settled = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'resolved',
    (error: unknown) => (error instanceof Error && error.message !== '' ? 'rejected with words' : 'rejected'),
  );

type Opened = () => Inside;

/** Programs: `printf`, `cat`, `pwd`, `env`, `false` and `sleep` as in POSIX. */
export function processContract(name: string, inside: Opened): void {
  const run = (
    argv: readonly string[],
    more: Partial<Command> = {},
    signal: AbortSignal = never,
  ): Promise<CommandEnded> =>
    inside().host.process.run(
      { argv, cwd: '', env: {}, timeoutMs: LONG_MS, stdoutBytesMax: 1000, stderrBytesMax: 1000, ...more },
      signal,
    );

  describe(`${name}: programs`, () => {
    it('return their output and their exit status', async () => {
      expect(await run(['printf', 'abc'])).toMatchObject({ exit: 0, stdout: 'abc', stderr: '' });
      expect(await run(['false'])).toMatchObject({ exit: 1, stdout: '' });
      const { exit, stderr } = await run(['cat', 'nothing']);
      expect([exit === 0, stderr.includes('nothing')]).toEqual([false, true]);
    });

    it('get their arguments unchanged', async () => {
      const hostile = '$HOME `id` $(id) ; id | id > id & \\ " \' *\n~';
      expect((await run(['printf', '%s', hostile])).stdout).toBe(hostile);
    });

    it('start in a directory of the workspace', async () => {
      await inside().host.files.makeDirectory('inner/most');
      expect((await run(['pwd'], { cwd: 'inner/most' })).stdout).toMatch(/\/inner\/most\n$/);
      await inside().link('outer', '/etc');
      expect(await settled(run(['pwd'], { cwd: 'outer' }))).toBe('rejected with words');
    });

    it("have the variables of their command, and none of the host's", async () => {
      const { stdout } = await run(['env'], { env: { DECLARED: 'yes' } });
      expect([stdout.includes('DECLARED=yes\n'), stdout.includes('PLANTED')]).toEqual([true, false]);
    });

    it('are returned as heads, with the number of further bytes', async () => {
      expect(await run(['printf', 'abcdef'], { stdoutBytesMax: 4 })).toMatchObject({
        exit: 0,
        stdout: 'abcd',
        cutBytes: 2,
      });
    });

    it('end when their time is over, or a signal aborts', async () => {
      expect(await settled(run(['sleep', '3600'], { timeoutMs: 20 }))).toBe('rejected with words');
      const stop = new AbortController();
      const running = settled(run(['sleep', '3600'], {}, stop.signal));
      stop.abort();
      expect([await running, await settled(run(['sleep', '3600'], {}, stop.signal))]).toEqual([
        'rejected with words',
        'rejected with words',
      ]);
    });

    it('that do not exist are reported', async () => {
      expect(await settled(run(['no-such-program-anywhere']))).toBe('rejected with words');
    });
  });
}

/** The network outside answers `hello` at http://example.com/ and nothing else. */
export function netContract(name: string, inside: Opened): void {
  const ask = (bytesMax: number) =>
    inside().host.net.request(
      {
        method: 'GET',
        url: 'http://example.com/',
        address: '93.184.216.34',
        headers: {},
        body: null,
        bytesMax,
        timeoutMs: LONG_MS,
      },
      never,
    );

  describe(`${name}: connections`, () => {
    it('bring answers, and no more of them than is asked for', async () => {
      const [whole, head] = [await ask(1000), await ask(3)];
      expect([whole.status, Buffer.from(whole.body).toString(), whole.isCut]).toEqual([200, 'hello', false]);
      expect([Buffer.from(head.body).toString(), head.isCut]).toEqual(['hel', true]);
    });

    it('resolve an address to itself, and a name to addresses or not at all', async () => {
      const { net } = inside().host;
      expect(await net.resolve('93.184.216.34', LONG_MS)).toEqual(['93.184.216.34']);
      expect([null, 'string']).toContain(
        await net
          .resolve('example.com', LONG_MS)
          .then((addresses) => (addresses === null ? null : typeof addresses[0])),
      );
    });

    it('look a name up, and an address as itself', async () => {
      const { net } = inside().host;
      expect(await net.lookUp('example.com', LONG_MS)).toEqual(['93.184.216.34']);
      expect(await net.lookUp('93.184.216.34', LONG_MS)).toEqual(['93.184.216.34']);
    });
  });
}

/** Every fact about the machine is well-formed, or null. */
export function systemContract(name: string, inside: Opened): void {
  describe(`${name}: the machine`, () => {
    it('returns its facts, or null', async () => {
      const { system } = inside().host;
      const orNull = async <Fact>(fact: Promise<Fact | null>, isGood: (fact: Fact) => boolean): Promise<boolean> =>
        fact.then((known) => known === null || isGood(known));
      const isDisk = ({
        name: disk,
        totalBytes,
        freeBytes,
      }: {
        name: string;
        totalBytes: number;
        freeBytes: number;
      }): boolean => disk !== '' && totalBytes >= freeBytes && freeBytes >= 0;
      expect(
        await Promise.all([
          orNull(system.hostname(), (text) => text !== ''),
          orNull(system.uptimeSeconds(), (seconds) => seconds >= 0),
          orNull(system.osInfo(), (text) => text !== ''),
          orNull(system.cpuCount(), (count) => count >= 1),
          orNull(system.tempDirectory(), (path) => path.startsWith('/')),
          orNull(system.disk(''), isDisk),
          orNull(system.drives(), (disks) => disks.length > 0 && disks.every(isDisk)),
          orNull(system.memory(), ({ totalBytes, freeBytes }) => totalBytes >= freeBytes && freeBytes >= 0),
          orNull(
            system.processes(),
            (list) => list.length > 0 && list.every(({ pid, name: program }) => pid > 0 && program !== ''),
          ),
          orNull(system.interfaces(), (list) => list.every(({ name: device }) => device !== '')),
        ]),
      ).toEqual(Array.from({ length: 10 }, () => true));
    });

    it('has variables that are asked by name, and no others', () => {
      const { env } = inside().host;
      expect([env.get('toString'), env.get('__proto__'), env.get('NOT_THERE')]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    });
  });
}
