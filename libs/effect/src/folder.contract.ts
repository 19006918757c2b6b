// SPDX-License-Identifier: Apache-2.0
// Real directories as states of a workspace, so that real programs make the effects.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Change, FileState } from '@writ/contract';
import { compareContents } from './compare-contents.ts';
import type { EffectContents } from './contents.ts';
import { droppedStashes } from './git/dropped-stashes.ts';
import { historyChanges } from './git/history-changes.ts';
import { keptContents } from './git/kept-contents.ts';
import { examineEffect, type EffectExamination } from './examine-effect.ts';
import { newStarters } from './later-contents.ts';
import { completeEffectSettings, type EffectSettings } from './settings.ts';
import type { PastEffect } from './window.ts';

type State = ReadonlyMap<string, FileState>;

const GIT_ENVIRONMENT = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.org',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_EDITOR: 'true',
};

/** `fill TEXT LINES` writes the text on that many lines. */
const FILL = 'fill() { for ((line = 0; line < $2; line += 1)); do echo "$1"; done; }\n';

/** A directory that a test fills, changes by commands, and examines. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'writ-effect-'));
  readonly #blobs = new Map<string, Uint8Array>();
  /** the duration of the last examination */
  examinedMs = 0;
  /** the changes of the last command */
  made: readonly Change[] = [];

  /** Writes files by their paths. */
  write(files: Readonly<Record<string, string | Uint8Array>>): void {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.path, name)), { recursive: true });
      writeFileSync(join(this.path, name), content);
    }
  }

  /** Another directory with the same content. */
  copy(): Folder {
    const folder = new Folder();
    execFileSync('cp', ['-a', `${this.path}/.`, folder.path]);
    return folder;
  }

  /** Runs a command of bash in the directory. Throws where it fails. */
  run(command: string): void {
    execFileSync('bash', ['-euo', 'pipefail', '-c', `${FILL}${command}`], {
      cwd: this.path,
      env: { PATH: process.env['PATH'], HOME: this.path, ...GIT_ENVIRONMENT },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }

  /** Examines the effect of a command on the directory in its present state. */
  async effectOf(
    command: string,
    options: { settings?: EffectSettings; past?: readonly PastEffect[]; now?: number } = {},
  ): Promise<EffectExamination> {
    const before = this.#state();
    this.run(command);
    const changes = changesBetween(before, this.#state());
    this.made = changes;
    const begun = performance.now();
    const examination = await examineEffect({
      changes,
      settings: options.settings ?? completeEffectSettings(),
      contents: this.#contents(before),
      key: new Uint8Array(32),
      now: options.now ?? Date.now(),
      past: () => Promise.resolve(options.past ?? []),
    });
    this.examinedMs = performance.now() - begun;
    return examination;
  }

  /** Examines commands one after another as one series, whose window began with the present state. */
  async seriesOf(commands: readonly string[], settings?: EffectSettings): Promise<EffectExamination[]> {
    const past: PastEffect[] = [];
    const examined: EffectExamination[] = [];
    for (const command of commands) {
      examined.push(await this.effectOf(command, { past: [...past], ...(settings === undefined ? {} : { settings }) }));
      past.push({ changes: this.made, isApproved: false });
    }
    return examined;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  #state(): State {
    const state = new Map<string, FileState>();
    const look = (at: string): void => {
      for (const name of readdirSync(join(this.path, at))) {
        const path = at === '' ? name : `${at}/${name}`;
        const stat = lstatSync(join(this.path, path));
        if (stat.isDirectory()) {
          state.set(path, { kind: 'dir', mode: null, sha256: null, size: 0 });
          look(path);
          continue;
        }
        const bytes = stat.isSymbolicLink()
          ? Buffer.from(readlinkSync(join(this.path, path)))
          : readFileSync(join(this.path, path));
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        this.#blobs.set(sha256, bytes);
        const mode = stat.isSymbolicLink() ? null : (stat.mode & 0o100) === 0 ? '644' : '755';
        state.set(path, { kind: stat.isSymbolicLink() ? 'symlink' : 'file', mode, sha256, size: bytes.byteLength });
      }
    };
    look('');
    return state;
  }

  #contents(before: State): EffectContents {
    const read = (sha256: string): Uint8Array => {
      const bytes = this.#blobs.get(sha256);
      if (bytes === undefined) throw new Error(`no content \`${sha256}\``);
      return bytes;
    };
    return {
      compare: (old, after) => Promise.resolve(compareContents(read(old), after === null ? null : read(after))),
      starters: (reader, old, after) =>
        Promise.resolve(newStarters({ reader, before: old === null ? null : read(old), after: read(after) })),
      read: (sha256) => Promise.resolve(read(sha256)),
      pause: () => Promise.resolve(),
      before: (path) => Promise.resolve(before.get(path) ?? null),
      readMany: (sha256s) => Promise.resolve(new Map(sha256s.map((sha256) => [sha256, read(sha256)]))),
      alone: (run) => run(),
      keptByGit: (question) => Promise.resolve(keptContents(structuredClone(question))),
      gitHistory: (question) => Promise.resolve(historyChanges(structuredClone(question))),
      droppedStashes: (question) => Promise.resolve(droppedStashes(structuredClone(question))),
      filesBefore: (directory, max) => {
        const files = [...before]
          .filter(([path, { kind }]) => kind !== 'dir' && path.startsWith(`${directory}/`))
          .map(([path, state]) => ({ path, state }));
        return Promise.resolve({ files: files.slice(0, max), isComplete: files.length <= max });
      },
      count: (counts, skips) =>
        Promise.resolve(
          [...before].filter(
            ([path, { kind, sha256 }]) => kind !== 'dir' && counts(path, sha256) && !parentsOf(path).some(skips),
          ).length,
        ),
    };
  }
}

const parentsOf = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, at, names) => names.slice(0, at + 1).join('/'));

function changesBetween(before: State, after: State): Change[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((path) => {
    const [old, fresh] = [before.get(path) ?? null, after.get(path) ?? null];
    return JSON.stringify(old) === JSON.stringify(fresh) ? [] : [{ path, before: old, after: fresh }];
  });
}

/** A repository of that many text files in directories of ten, committed if `git`, beside ignored output. */
export function repository(count: number, git: boolean): Folder {
  const folder = new Folder();
  const files: Record<string, string> = {
    'package.json': '{"name":"sample","version":"1.0.0","scripts":{"build":"tsc","test":"jest"}}\n',
    'README.md': '# Sample\n\nA sample of some words that say what it is for.\n',
  };
  for (let n = 0; Object.keys(files).length < count; n += 1)
    files[`src/part${Math.floor(n / 10)}/module${n}.js`] = source(n);
  folder.write(files);
  folder.write({
    'node_modules/left-pad/index.js': 'module.exports = 1;\n',
    'dist/bundle.js': 'var a = 1;\n',
    'generated/client.js': 'one\n',
    '.gitignore': 'node_modules\ndist\n',
  });
  if (git) folder.run('git init -q -b main && git add . && git commit -q -m first');
  return folder;
}

const source = (n: number): string =>
  Array.from(
    { length: 12 },
    (_, line) =>
      `export function name${n}_${line}(first, second) { return first.field${line} + second.other${n} * ${line + n}; }\n`,
  ).join('');
