// SPDX-License-Identifier: Apache-2.0
import { netContract, processContract, systemContract } from './host-machine.contract.ts';
import type { Inside } from './inside.contract.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const never = new AbortController().signal;

/**
 * The contract of every Host, whatever its implementation. `open` creates an empty workspace on a machine with a few
 * programs and a variable `PLANTED`, in a network where http://example.com/ answers `hello`.
 */
export function hostContract(name: string, open: () => Promise<Inside> | Inside): void {
  describe(`${name}: files`, () => {
    let inside: Inside;
    beforeEach(async () => {
      inside = await open();
    });
    afterEach(async () => {
      await inside.close?.();
    });
    const read = async (path: string): Promise<string> =>
      Buffer.from(await inside.host.files.read(path, 1000)).toString();

    it('writes make directories, replace, and add to the end', async () => {
      const { files } = inside.host;
      await files.write('a/b/c.txt', bytes('one'), 'replace');
      await files.write('a/b/c.txt', bytes('two'), 'append');
      expect(await read('a/b/c.txt')).toBe('onetwo');
      await files.write('a/b/c.txt', bytes('x'), 'replace');
      expect([
        await read('a/b/c.txt'),
        (await files.stat('a/b'))?.kind,
        (await files.stat('a/b/c.txt'))?.size,
        await files.stat('nothing'),
      ]).toEqual(['x', 'directory', 1, null]);
    });

    it('reads no more than it is asked for', async () => {
      await inside.host.files.write('a', bytes('abcdef'), 'replace');
      expect(Buffer.from(await inside.host.files.read('a', 3)).toString()).toBe('abc');
    });

    it('lists, moves and removes', async () => {
      const { files } = inside.host;
      await files.write('d/a', bytes('1'), 'replace');
      await files.makeDirectory('d/e/f');
      await files.move('d/a', 'd/b');
      expect([...(await files.list('d'))].sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
        { name: 'b', kind: 'file' },
        { name: 'e', kind: 'directory' },
      ]);
      await files.remove('d');
      await files.remove('d');
      expect(await files.stat('d')).toBeNull();
    });

    it('follows links within the workspace, and none that lead out', async () => {
      const { files } = inside.host;
      await files.write('real/x', bytes('x'), 'replace');
      await inside.link('inner', 'real');
      await inside.link('outer', '/etc');
      await inside.link('up', '../..');
      expect([
        await files.resolve('inner/x'),
        await files.resolve('inner/new/y'),
        await files.resolve('outer'),
        await files.resolve('up/x'),
        await files.resolve(''),
      ]).toEqual(['real/x', 'real/new/y', null, null, '']);
    });

    it('refuses a path that leads out when it is used, whatever `resolve` returned before', async () => {
      const { files } = inside.host;
      await inside.link('outer', '/etc');
      for (const use of [
        () => files.read('outer/passwd', 10),
        () => files.write('outer/x', bytes(''), 'replace'),
        () => files.list('outer'),
        () => files.makeDirectory('outer/x'),
        () => files.remove('outer/passwd'),
        () => files.move('outer/passwd', 'x'),
        () => files.read('../x', 10),
      ]) {
        await expect((async () => use())()).rejects.toThrow();
      }
    });

    it('removing a link leaves its target', async () => {
      const { files } = inside.host;
      await files.write('real/x', bytes('x'), 'replace');
      await inside.link('inner', 'real');
      await files.remove('inner');
      expect([(await files.list('')).map(({ name: entry }) => entry), (await files.stat('real/x'))?.kind]).toEqual([
        ['real'],
        'file',
      ]);
    });
  });

  describe(`${name}: clock and chance`, () => {
    it('sleeps, and wakes at once when the signal aborts', async () => {
      const { host, close } = await open();
      const before = host.clock.monotonic();
      await host.clock.sleep(5, never);
      // Timers may be a fraction of a millisecond early.
      expect(host.clock.monotonic() - before).toBeGreaterThan(3);
      const stop = new AbortController();
      const asleep = host.clock.sleep(3_600_000, stop.signal);
      stop.abort();
      await asleep;
      await close?.();
    });

    it('draws as many bytes as it is asked for, and others each time', async () => {
      const { host, close } = await open();
      const [one, two] = [host.random.bytes(16), host.random.bytes(16)];
      expect([one.length, two.length, Buffer.compare(one, two) === 0]).toEqual([16, 16, false]);
      await close?.();
    });
  });

  describe(name, () => {
    let inside: Inside;
    beforeEach(async () => {
      inside = await open();
    });
    afterEach(async () => {
      await inside.close?.();
    });
    const opened = (): Inside => inside;
    processContract(name, opened);
    netContract(name, opened);
    systemContract(name, opened);
  });
}
