// SPDX-License-Identifier: Apache-2.0
//
// The only access to files.
// INVARIANT (resolved): both a path and the target of its links are checked, and the resolved path is used.
import type { DirectoryEntry, FileFacts, HostFiles } from '../host/host.ts';
import { VERB_LIMITS } from '../limits.ts';
import type { Access } from '../registry/arguments.ts';
import { accessFault, readPath } from '../rules/paths.ts';
import type { Sandbox } from '../rules/sandbox.ts';
import { StepError, refused } from './step-error.ts';

export interface TreeEntry {
  readonly path: string;
  readonly kind: DirectoryEntry['kind'];
  readonly depth: number;
}

const inQuotes = (path: string): string => `\`${path === '' ? '$WORKSPACE' : path.slice(0, 200)}\``;
const below = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

export class GuardedFiles {
  readonly #files: HostFiles;
  readonly #sandbox: Sandbox;

  constructor(files: HostFiles, sandbox: Sandbox) {
    this.#files = files;
    this.#sandbox = sandbox;
  }

  /** A path in the form in which verbs return it: any other verb accepts it. */
  shown(path: string): string {
    const { root, cwd } = this.#sandbox;
    return cwd === '' && path !== '' ? path : path === '' ? root : `${root}/${path}`;
  }

  /**
   * The target of a path.
   * @throws StepError for a path that leads out, or to which rules forbid this access
   */
  async real(path: string, access: Access): Promise<string> {
    const { path: read, fault } = readPath(path, '');
    if (read === null) throw refused(`${inQuotes(path)} ${fault}`);
    const real = access === 'delete' ? await this.#realOfLink(read) : await this.#files.resolve(read);
    if (real === null) throw refused(`${inQuotes(path)} leads out of the workspace`);
    const wrong = accessFault(this.#sandbox.rules, read, access) ?? accessFault(this.#sandbox.rules, real, access);
    if (wrong !== null) throw refused(`${inQuotes(path)}: ${wrong}`);
    return real;
  }

  /** Deleting a link deletes the link itself: only its parent directories are resolved. */
  async #realOfLink(path: string): Promise<string | null> {
    const slash = path.lastIndexOf('/');
    const folder = await this.#files.resolve(path.slice(0, Math.max(0, slash)));
    return folder === null || path === '' ? folder : below(folder, path.slice(slash + 1));
  }

  async stat(path: string): Promise<FileFacts | null> {
    return this.#files.stat(await this.real(path, 'read'));
  }

  /** @throws StepError where there is no entry of the kind */
  async need(path: string, kind: FileFacts['kind']): Promise<FileFacts> {
    const facts = await this.stat(path);
    if (facts === null) throw new StepError(`there is no ${inQuotes(path)}`);
    if (facts.kind !== kind) throw new StepError(`${inQuotes(path)} is a ${facts.kind}, and no ${kind}`);
    return facts;
  }

  async bytes(path: string, bytesMax: number = VERB_LIMITS.fileBytes): Promise<Uint8Array> {
    const { size } = await this.need(path, 'file');
    if (size > bytesMax) throw new StepError(`${inQuotes(path)} has ${size} bytes; at most ${bytesMax} are read`);
    return this.#files.read(await this.real(path, 'read'), bytesMax);
  }

  async head(path: string, bytes: number): Promise<Uint8Array> {
    await this.need(path, 'file');
    return this.#files.read(await this.real(path, 'read'), bytes);
  }

  async text(path: string): Promise<string> {
    return new TextDecoder().decode(await this.bytes(path));
  }

  async write(path: string, bytes: Uint8Array | string, how: 'replace' | 'append' = 'replace'): Promise<void> {
    const real = await this.real(path, 'write');
    if (real === '' || (await this.#files.stat(real))?.kind === 'directory')
      throw new StepError(`${inQuotes(path)} is a directory`);
    await this.#files.write(real, typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : bytes, how);
  }

  async makeDirectory(path: string): Promise<void> {
    const real = await this.real(path, 'write');
    if ((await this.#files.stat(real))?.kind === 'file') throw new StepError(`${inQuotes(path)} is a file`);
    await this.#files.makeDirectory(real);
  }

  /**
   * Deletes a file, or a directory with its contents; a missing entry is no error. A directory that contains a
   * repository is refused.
   */
  async remove(path: string, kind: FileFacts['kind']): Promise<void> {
    const real = await this.real(path, 'delete');
    // A link itself is deleted, whatever its target: the target is not checked.
    if (!(await this.#isLink(real))) {
      const facts = await this.#files.stat(real);
      if (facts !== null && facts.kind !== kind)
        throw new StepError(`${inQuotes(path)} is a ${facts.kind}, and no ${kind}`);
      if (facts?.kind === 'directory') await this.#needsNoRepository(path, real);
    }
    await this.#files.remove(real);
  }

  async #isLink(real: string): Promise<boolean> {
    const slash = real.lastIndexOf('/');
    const folder = real.slice(0, Math.max(0, slash));
    if ((await this.#files.stat(folder))?.kind !== 'directory') return false;
    return (await this.#files.list(folder)).some(({ name, kind }) => kind === 'link' && name === real.slice(slash + 1));
  }

  async #needsNoRepository(path: string, real: string): Promise<void> {
    for await (const { path: inner } of this.tree(real, 64))
      if (accessFault(this.#sandbox.rules, inner, 'delete') !== null)
        throw refused(`${inQuotes(path)} holds \`.git\`, which git alone changes`);
  }

  async move(from: string, to: string): Promise<void> {
    await this.need(from, 'file');
    const [source, target] = [await this.real(from, 'delete'), await this.real(to, 'write')];
    if ((await this.#files.stat(target))?.kind === 'directory') throw new StepError(`${inQuotes(to)} is a directory`);
    await this.#files.move(source, target);
  }

  /** Sorted by name. */
  async list(path: string): Promise<readonly DirectoryEntry[]> {
    await this.need(path, 'directory');
    const entries = await this.#files.list(await this.real(path, 'read'));
    return [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * The contents of a directory, parents first, sorted by name. Links are shown and not followed.
   * @throws StepError beyond the limit of entries
   */
  async *tree(path: string, depthMax: number): AsyncGenerator<TreeEntry> {
    let seen = 0;
    const stack: TreeEntry[] = (await this.list(path))
      .map(({ name, kind }) => ({ path: below(path, name), kind, depth: 1 }))
      .reverse();
    for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
      if (++seen > VERB_LIMITS.treeEntries)
        throw new StepError(`${inQuotes(path)} holds more than ${VERB_LIMITS.treeEntries} entries`);
      yield entry;
      if (entry.kind !== 'directory' || entry.depth >= depthMax) continue;
      const { path: folder, depth } = entry;
      stack.push(
        ...(await this.list(folder))
          .map(({ name, kind }) => ({ path: below(folder, name), kind, depth: depth + 1 }))
          .reverse(),
      );
    }
  }
}
