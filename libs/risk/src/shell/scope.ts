// SPDX-License-Identifier: Apache-2.0
import { isSecretName } from '../programs/secret-names.ts';
import type { Meter } from './budget.ts';
import { GIVEN, NUMBER, SECRET, UNKNOWN, UNSET, type Field, type Source } from './field.ts';
import { SnapshotMap } from './snapshot-map.ts';
import type { SyntaxNode } from './syntax.ts';

/** One possible value of a variable: the elements of an array, or the one of a scalar. */
export type Value = readonly string[];

/**
 * A declared property of a name beyond text. An assignment to an `integer` is evaluated as arithmetic, the index of an
 * `associative` array isn't, and a `reference` is an alias of the variable that its value names.
 */
export type Attribute = 'integer' | 'associative' | 'reference' | 'several';

/** The most possible values of a variable after a branch; more are one unknown value. */
const VALUES_MAX = 16;
/** The most possible working directories after a branch. */
const CWDS_MAX = 4;

export const WORKSPACE = '/workspace';
export const HOME = '/home/agent';

/**
 * The environment of a call, whatever the host has. `IFS` is a space, since splitting at white space happens anyway.
 */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  HOME,
  IFS: ' ',
  TMPDIR: '/tmp',
  SHELL: '/bin/bash',
  USER: 'agent',
  LOGNAME: 'agent',
  UID: '1000',
  EUID: '1000',
  LANG: 'C',
  TERM: 'dumb',
};
/** Variables that are set, never dangerous as a path, and different each time. */
const SPECIAL = new Set([
  '-',
  '_',
  'OLDPWD',
  'PATH',
  'HOSTNAME',
  'PIPESTATUS',
  'BASH_REMATCH',
  'FUNCNAME',
  'BASH_SOURCE',
  'DIRSTACK',
  'EPOCHREALTIME',
  'BASH_VERSION',
  'MACHTYPE',
  'OSTYPE',
  'HOSTTYPE',
]);
/** Variables that the shell itself sets to a number each time. */
const COUNTED = new Set([
  '?',
  '$',
  '!',
  'RANDOM',
  'SRANDOM',
  'SECONDS',
  'LINENO',
  'BASHPID',
  'PPID',
  'EPOCHSECONDS',
  'BASH_SUBSHELL',
  'SHLVL',
  'HISTCMD',
  'COLUMNS',
  'LINES',
  'OPTIND',
]);
/** Variables with a secret that the command was given: their value may be any text. */
const GIVEN_SECRET = /^WRIT_SECRET_/;

const isUnknown = (value: Value): boolean => value.length === 1 && value[0] === UNKNOWN;

/**
 * The state of a shell at one point of a command: a set of possibilities for each name, so that every branch counts.
 */
export class Scope {
  /** written only by `become`, so that no pin outlives an assignment */
  readonly variables = new SnapshotMap<readonly Value[]>();
  readonly attributes = new SnapshotMap<Attribute>();
  readonly functions = new SnapshotMap<SyntaxNode>();
  readonly aliases = new SnapshotMap<string>();
  /** files that the command itself wrote, by absolute path */
  readonly files = new SnapshotMap<Source>();
  /** those of them of whose former content nothing remains */
  readonly made = new SnapshotMap<true>();
  /** branches of git that the command itself created */
  readonly branches = new SnapshotMap<true>();
  /** directories of the container's own /tmp that the command itself created, by absolute path */
  readonly ownScratch = new SnapshotMap<true>();
  /** programs of the system under a name that the command gave them, by absolute path */
  readonly programs = new SnapshotMap<string>();
  /** the source that the command moved or linked to a name, by its absolute path */
  readonly movedTo = new SnapshotMap<{ readonly from: Field; readonly isLink: boolean }>();
  /** functions that were defined and not interpreted yet; shared by all scopes of one reading */
  uncalled = new Set<SyntaxNode>();
  /** files that are empty so far, by absolute path; shared like `uncalled` */
  emptied = new Map<string, { readonly form: string; readonly subject: string }>();
  /** whether the command unpacked something from the network into unnamed files */
  unpacked = false;
  /** possible working directories; undefined for an unknown one */
  cwds: readonly (string | undefined)[];
  /** whether all of this runs on another machine, in a container or on a device */
  isElsewhere = false;
  /** `$0` */
  zero = 'bash';
  /** `$1`, `$2` and so on; undefined when they are set and unknown */
  positional: readonly Field[] | undefined = [];
  /** commands that run when the shell of this scope ends; a subshell has its own */
  readonly traps: string[] = [];
  /** one value each for the names that have several, while a command is interpreted with each of them in turn */
  pinned: ReadonlyMap<string, Value> = new Map();
  /** the outer values of the running function's local names; undefined outside of functions */
  #outside: Map<string, readonly Value[]> | undefined;
  readonly #meter: Meter;
  /** whether earlier commands of a session may have set unknown variables */
  readonly #isSession: boolean;

  constructor(cwd: string | undefined, meter: Meter, isSession = false) {
    this.cwds = [cwd];
    this.#meter = meter;
    this.#isSession = isSession;
  }

  clone(): Scope {
    this.#meter.steps();
    const copy = new Scope(undefined, this.#meter, this.#isSession);
    copy.assume(this);
    copy.uncalled = this.uncalled;
    copy.emptied = this.emptied;
    copy.#outside = this.#outside;
    return copy;
  }

  /**
   * Runs as a function's body. Afterwards, its local names may have their outer values, or the ones that it left: paths
   * through the body aren't distinguished.
   */
  asFunction<T>(body: () => T): T {
    const before = this.#outside;
    const outside = new Map<string, readonly Value[]>();
    this.#outside = outside;
    try {
      return body();
    } finally {
      this.#outside = before;
      for (const [name, values] of outside) this.mayBe(name, values);
    }
  }

  /** Answers whether a function runs, to which the name is local from here on. */
  makeOwn(name: string): boolean {
    if (this.#outside && !this.#outside.has(name)) this.#outside.set(name, this.possible(name));
    return this.#outside !== undefined;
  }

  /** Copies the other's state. */
  assume(other: Scope): void {
    this.variables.restore(other.variables);
    this.attributes.restore(other.attributes);
    this.functions.restore(other.functions);
    this.aliases.restore(other.aliases);
    this.files.restore(other.files);
    this.made.restore(other.made);
    this.branches.restore(other.branches);
    this.ownScratch.restore(other.ownScratch);
    this.programs.restore(other.programs);
    this.movedTo.restore(other.movedTo);
    this.cwds = other.cwds;
    this.positional = other.positional;
    this.zero = other.zero;
    this.unpacked = other.unpacked;
    this.isElsewhere = other.isElsewhere;
    this.pinned = other.pinned;
  }

  /** Adds the other's state as a possibility. */
  merge(other: Scope): void {
    for (const name of this.#parted(this.variables, other.variables))
      this.variables.set(name, this.#union(this.possible(name), other.possible(name)));
    for (const name of this.#parted(this.attributes, other.attributes))
      if (this.attributes.get(name) !== other.attributes.get(name)) this.attributes.set(name, 'several');
    this.#takeOver(this.functions, other.functions);
    this.#takeOver(this.aliases, other.aliases);
    this.#takeOver(this.movedTo, other.movedTo);
    this.keepFiles(other);
    const cwds = [...new Set([...this.cwds, ...other.cwds])];
    this.cwds = cwds.length > CWDS_MAX ? [undefined] : cwds;
    this.keepPins(other.pinned);
    if (!this.#areSame(this.positional, other.positional)) this.positional = undefined;
  }

  /**
   * The variables that may have values here that they hadn't in the other, from which this one was copied; unknown may
   * be any value.
   */
  changedSince(other: Scope): readonly string[] {
    return [...this.#parted(this.variables, other.variables)].filter((name) => {
      const before = other.possible(name);
      if (before.some(isUnknown)) return false;
      const after = this.#union(before, this.possible(name));
      return after.length > before.length || after.some(isUnknown);
    });
  }

  /** Copies the lasting effects of a subshell: the files that it wrote, and none of its variables. */
  keepFiles(other: Scope): void {
    this.#takeOver(this.files, other.files);
    this.#takeOver(this.made, other.made);
    this.#takeOver(this.branches, other.branches);
    this.#takeOver(this.ownScratch, other.ownScratch);
    this.#takeOver(this.programs, other.programs);
    this.unpacked ||= other.unpacked;
  }

  possible(name: string): readonly Value[] {
    return this.variables.get(name) ?? [this.#default(name)];
  }

  /** The value of a name; a name with several must be pinned first, else it is unknown. */
  value(name: string): Value {
    const pinned = this.pinned.get(name);
    if (pinned) return pinned;
    const values = this.possible(name);
    return values.length === 1 && values[0] ? values[0] : [UNKNOWN];
  }

  /** Adds to the possible values of the name. */
  mayBe(name: string, values: readonly Value[]): void {
    this.become(name, this.#union(this.possible(name), values));
  }

  isSet(name: string): boolean {
    return this.value(name).join('') !== UNSET;
  }

  set(name: string, value: Value): void {
    this.become(name, [value]);
  }

  /** Replaces the possible values of the name. */
  become(name: string, values: readonly Value[]): void {
    this.variables.set(name, values);
    this.#unpin(name);
  }

  /** Keeps the pins of names that the other still holds pinned: a name assigned meanwhile keeps its new value. */
  keepPins(others: ReadonlyMap<string, Value>): void {
    if (others === this.pinned || this.pinned.size === 0) return;
    this.#meter.steps(this.pinned.size);
    this.pinned = new Map([...this.pinned].filter(([name]) => others.has(name)));
  }

  /** A name that is assigned, in a function or an evaluated text, loses its pinned value. */
  #unpin(name: string): void {
    if (!this.pinned.has(name)) return;
    this.#meter.steps(this.pinned.size);
    this.pinned = new Map([...this.pinned].filter(([each]) => each !== name));
  }

  /**
   * Answers whether variables that this command doesn't set are unknown, since an earlier command of its session may
   * have set them.
   */
  get maySetBefore(): boolean {
    return this.#isSession;
  }

  #default(name: string): Value {
    if (name === 'PWD') return [this.cwds.length === 1 ? (this.cwds[0] ?? UNKNOWN) : UNKNOWN];
    if (COUNTED.has(name)) return [NUMBER];
    if (GIVEN_SECRET.test(name)) return [GIVEN];
    // The former prompt is a prompt already.
    if (/^PS[0-4]$/.test(name)) return [''];
    const known = Object.hasOwn(ENVIRONMENT, name) ? ENVIRONMENT[name] : undefined;
    return [known ?? (isSecretName(name) ? SECRET : SPECIAL.has(name) ? UNKNOWN : UNSET)];
  }

  #parted<V>(one: SnapshotMap<V>, two: SnapshotMap<V>): ReadonlySet<string> {
    const keys = one.partedFrom(two);
    this.#meter.steps(keys.size);
    return keys;
  }

  #takeOver<V>(to: SnapshotMap<V>, from: SnapshotMap<V>): void {
    for (const key of this.#parted(to, from)) {
      const value = from.get(key);
      if (value !== undefined && to.get(key) !== value) to.set(key, value);
    }
  }

  #areSame(a: readonly Field[] | undefined, b: readonly Field[] | undefined): boolean {
    if (a === b || a === undefined || b === undefined || a.length !== b.length) return a === b;
    this.#meter.steps(a.length);
    return a.every((one, index) => one === b[index]);
  }

  #union(a: readonly Value[], b: readonly Value[]): readonly Value[] {
    if (a === b) return a;
    const both = [...a, ...b];
    for (const value of both) this.#meter.text(value.reduce((length, text) => length + text.length + 1, 0));
    const all = new Map(both.map((value) => [value.join('\0'), value]));
    return all.size > VALUES_MAX ? [[UNKNOWN]] : [...all.values()];
  }
}
