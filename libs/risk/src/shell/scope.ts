// SPDX-License-Identifier: Apache-2.0
import { isSecretName } from '../programs/secrets.ts';
import { SECRET, UNKNOWN, UNSET, type Field } from './field.ts';
import type { Source } from './source.ts';
import type { SyntaxNode } from './syntax.ts';

/** One value that a variable may have: the elements of an array, or the one of a scalar. */
export type Value = readonly string[];

/** Values that a variable may have after a branch; more are one unknown value. */
const VALUES_MAX = 16;
/** Directories that a command may be in after a branch. */
const CWDS_MAX = 4;

export const WORKSPACE = '/workspace';
export const HOME = '/home/agent';

/** What a call's environment holds whatever the host has. `IFS` is a space, since splitting is done at white space anyway. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  HOME, IFS: ' ', TMPDIR: '/tmp', SHELL: '/bin/bash', USER: 'agent', LOGNAME: 'agent', UID: '1000', EUID: '1000', LANG: 'C', TERM: 'dumb',
};
/** Numbers and the like: set, never dangerous as a path, and different each time. */
const SPECIAL = new Set(['?', '$', '!', '-', '_', 'RANDOM', 'SECONDS', 'LINENO', 'OLDPWD', 'PATH', 'HOSTNAME', 'BASHPID', 'PPID']);

/** What a shell knows at one point of a command: a set of possibilities for each name, so that every branch counts. */
export class Scope {
  variables = new Map<string, readonly Value[]>();
  functions = new Map<string, SyntaxNode>();
  /** functions that were followed; shared by all scopes of one reading */
  called = new Set<SyntaxNode>();
  /** files that were left empty so far, by absolute path; shared like `called` */
  emptied = new Map<string, { readonly form: string; readonly subject: string }>();
  aliases = new Map<string, string>();
  /** files that the command itself wrote, by absolute path */
  files = new Map<string, Source>();
  /** those of them of which nothing is left that was there before */
  made = new Set<string>();
  /** programs of the system under a name that the command gave them, by absolute path */
  programs = new Map<string, string>();
  /** what the command moved or linked to a name, by its absolute path */
  movedTo = new Map<string, { readonly from: Field; readonly isLink: boolean }>();
  /** whether the command unpacked something from the network into files that aren't known by name */
  unpacked = false;
  /** directories that it may be in; undefined for one that isn't known */
  cwds: readonly (string | undefined)[];
  /** `$0` */
  zero = 'bash';
  /** `$1`, `$2` and so on; undefined when they are set and not known */
  positional: readonly Field[] | undefined = [];
  /** commands that run when the shell of this scope ends; a subshell has its own */
  readonly traps: string[] = [];
  /** one value each for the names that have several, while a command is followed with each of them in turn */
  pinned: ReadonlyMap<string, Value> = new Map();

  constructor(cwd: string | undefined) {
    this.cwds = [cwd];
  }

  clone(): Scope {
    const copy = new Scope(undefined);
    copy.assume(this);
    copy.pinned = this.pinned;
    copy.called = this.called;
    copy.emptied = this.emptied;
    return copy;
  }

  /** Takes over what the other knows. */
  assume(other: Scope): void {
    this.variables = new Map(other.variables);
    this.functions = new Map(other.functions);
    this.aliases = new Map(other.aliases);
    this.files = new Map(other.files);
    this.made = new Set(other.made);
    this.programs = new Map(other.programs);
    this.movedTo = new Map(other.movedTo);
    this.cwds = other.cwds;
    this.positional = other.positional;
    this.zero = other.zero;
    this.unpacked = other.unpacked;
  }

  /** Makes what holds in the other possible here too. */
  merge(other: Scope): void {
    for (const name of new Set([...this.variables.keys(), ...other.variables.keys()])) {
      this.variables.set(name, union(this.possible(name), other.possible(name)));
    }
    for (const [name, body] of other.functions) this.functions.set(name, body);
    for (const [name, text] of other.aliases) this.aliases.set(name, text);
    for (const [path, source] of other.files) this.files.set(path, source);
    for (const path of other.made) this.made.add(path);
    for (const [path, name] of other.programs) this.programs.set(path, name);
    for (const [path, moved] of other.movedTo) this.movedTo.set(path, moved);
    this.unpacked ||= other.unpacked;
    const cwds = [...new Set([...this.cwds, ...other.cwds])];
    this.cwds = cwds.length > CWDS_MAX ? [undefined] : cwds;
  }

  possible(name: string): readonly Value[] {
    return this.variables.get(name) ?? [this.#default(name)];
  }

  /** The value that a name has now; a name with several must be pinned first, else it is unknown. */
  value(name: string): Value {
    const pinned = this.pinned.get(name);
    if (pinned) return pinned;
    const values = this.possible(name);
    return values.length === 1 && values[0] ? values[0] : [UNKNOWN];
  }

  isSet(name: string): boolean {
    return this.value(name).join('') !== UNSET;
  }

  set(name: string, value: Value): void {
    this.variables.set(name, [value]);
  }

  #default(name: string): Value {
    if (name === 'PWD') return [this.cwds.length === 1 ? this.cwds[0] ?? UNKNOWN : UNKNOWN];
    const known = Object.hasOwn(ENVIRONMENT, name) ? ENVIRONMENT[name] : undefined;
    return [known ?? (isSecretName(name) ? SECRET : SPECIAL.has(name) ? UNKNOWN : UNSET)];
  }
}

function union(a: readonly Value[], b: readonly Value[]): readonly Value[] {
  const all = new Map([...a, ...b].map((value) => [value.join('\0'), value]));
  return all.size > VALUES_MAX ? [[UNKNOWN]] : [...all.values()];
}
