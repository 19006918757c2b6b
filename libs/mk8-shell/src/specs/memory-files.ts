// SPDX-License-Identifier: Apache-2.0
import { HostFiles, type DirectoryEntry, type FileFacts } from '../host/host.ts';

type Node =
  | { kind: 'file'; bytes: Uint8Array; modifiedMs: number }
  | { kind: 'directory'; modifiedMs: number }
  | { kind: 'link'; target: string };

/** A use of a path that leads out. */
export class Escape extends Error {}

const LINKS_MAX = 40;
const normal = (path: string): boolean =>
  path === '' || path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/**
 * Files in memory, links included. Records every path that it is asked to use, and throws Escape for one that leads
 * out.
 */
export class MemoryFiles extends HostFiles {
  readonly touched: { readonly how: string; readonly path: string }[] = [];
  /** Uses that led out: a real host would have had to stop them. */
  readonly escapes: string[] = [];
  readonly #nodes = new Map<string, Node>([['', { kind: 'directory', modifiedMs: 0 }]]);
  readonly #now: () => number;

  constructor(now: () => number) {
    super();
    this.#now = now;
  }

  /** Creates a link, as a program in the sandbox could. */
  link(path: string, target: string): void {
    this.#parents(path);
    this.#nodes.set(path, { kind: 'link', target });
  }

  /** Creates a file without any rule, as a program in the sandbox could. */
  plant(path: string, content: string | Uint8Array): void {
    this.#parents(path);
    this.#nodes.set(path, {
      kind: 'file',
      bytes: typeof content === 'string' ? Buffer.from(content) : content,
      modifiedMs: this.#now(),
    });
  }

  text(path: string): string | null {
    const node = this.#nodes.get(path);
    return node?.kind === 'file' ? Buffer.from(node.bytes).toString('utf8') : null;
  }

  has = (path: string): boolean => this.#nodes.has(path);
  paths = (): string[] => [...this.#nodes.keys()].sort();

  #resolved(path: string): string | null {
    let rest = path === '' ? [] : path.split('/');
    let at: string[] = [];
    for (let links = 0; rest.length > 0;) {
      const [next = '', ...later] = rest;
      rest = later;
      if (next === '' || next === '.') continue;
      if (next === '..') {
        if (at.length === 0) return null;
        at = at.slice(0, -1);
        continue;
      }
      const node = this.#nodes.get([...at, next].join('/'));
      if (node?.kind !== 'link') at = [...at, next];
      else {
        if (node.target.startsWith('/') || ++links > LINKS_MAX) return null;
        rest = [...node.target.split('/'), ...rest];
      }
    }
    return at.join('/');
  }

  /** As a real host must: resolves the path at the moment of use. */
  #use(how: string, path: string, last: 'follow' | 'keep' = 'follow'): string {
    const folder = last === 'keep' ? this.#resolved(parentOf(path)) : null;
    const real =
      last === 'follow'
        ? this.#resolved(path)
        : folder === null
          ? null
          : [folder, path.slice(path.lastIndexOf('/') + 1)].filter((part) => part !== '').join('/');
    if (!normal(path) || real === null || (how === 'remove' && real === '')) {
      this.escapes.push(`${how} ${path}`);
      throw new Escape(`${how} ${path}`);
    }
    this.touched.push({ how, path: real });
    return real;
  }

  #parents(path: string): void {
    for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) {
      const node = this.#nodes.get(folder);
      if (node?.kind === 'file') throw new Error(`${folder} is a file`);
      if (node === undefined) this.#nodes.set(folder, { kind: 'directory', modifiedMs: this.#now() });
    }
  }

  resolve(path: string): Promise<string | null> {
    return Promise.resolve(this.#resolved(path));
  }

  stat(path: string): Promise<FileFacts | null> {
    const node = this.#nodes.get(this.#use('stat', path));
    if (node === undefined || node.kind === 'link') return Promise.resolve(null);
    return Promise.resolve({
      kind: node.kind,
      size: node.kind === 'file' ? node.bytes.length : 0,
      modifiedMs: node.modifiedMs,
    });
  }

  list(path: string): Promise<readonly DirectoryEntry[]> {
    const real = this.#use('list', path);
    const prefix = real === '' ? '' : `${real}/`;
    const inside = [...this.#nodes].filter(
      ([at]) =>
        at !== '' && at.startsWith(prefix) && !at.slice(prefix.length).includes('/') && at.length > prefix.length,
    );
    return Promise.resolve(inside.map(([at, { kind }]) => ({ name: at.slice(prefix.length), kind })));
  }

  async read(path: string, bytesMax: number): Promise<Uint8Array> {
    const node = this.#nodes.get(this.#use('read', path));
    if (node?.kind !== 'file') throw new Error(`there is no file ${path}`);
    return Promise.resolve(node.bytes.subarray(0, bytesMax));
  }

  async write(path: string, bytes: Uint8Array, how: 'replace' | 'append'): Promise<void> {
    const real = this.#use('write', path);
    const old = this.#nodes.get(real);
    if (old?.kind === 'directory') throw new Error(`${path} is a directory`);
    this.#parents(real);
    const before = how === 'append' && old?.kind === 'file' ? old.bytes : new Uint8Array();
    this.#nodes.set(real, { kind: 'file', bytes: Buffer.concat([before, bytes]), modifiedMs: this.#now() });
    return Promise.resolve();
  }

  async makeDirectory(path: string): Promise<void> {
    const real = this.#use('write', path);
    this.#parents(real);
    if (!this.#nodes.has(real)) this.#nodes.set(real, { kind: 'directory', modifiedMs: this.#now() });
    return Promise.resolve();
  }

  async remove(path: string): Promise<void> {
    const real = this.#use('remove', path, 'keep');
    for (const at of [...this.#nodes.keys()]) if (at === real || at.startsWith(`${real}/`)) this.#nodes.delete(at);
    return Promise.resolve();
  }

  async move(from: string, to: string): Promise<void> {
    const [source, target] = [this.#use('remove', from, 'keep'), this.#use('write', to)];
    const node = this.#nodes.get(source);
    if (node === undefined) throw new Error(`there is no file ${from}`);
    this.#parents(target);
    this.#nodes.delete(source);
    this.#nodes.set(target, node);
    return Promise.resolve();
  }
}
