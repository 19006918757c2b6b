// SPDX-License-Identifier: Apache-2.0
import type { Verb } from '../registry/verb.ts';
import type { PredicateKind } from '../script/schema.ts';
import type { PatchSource, ScriptOptions } from '../script/script.ts';
import type { Text } from './text.ts';

/** The predicate of an If. All of its steps share it, and it is evaluated once, at the first of them. */
export interface Condition {
  readonly kind: PredicateKind;
  readonly args: readonly Text[];
}

/** One operation, ready to run. */
export interface Step {
  readonly verb: Verb;
  /** Its position in the script. */
  readonly pointer: string;
  readonly args: readonly Text[];
  readonly conditions: readonly Condition[];
  readonly label: string | null;
  /** The step at which a failure continues, later than this one. Null where the failure mode decides. */
  readonly goto: number | null;
  readonly captureAs: string | null;
  readonly attempts: number;
  readonly timeoutMs: number;
  readonly template: { readonly source: Text; readonly values: ReadonlyMap<string, string> } | null;
  readonly patches: readonly PatchSource[];
}

/** The possible effects of a script, as far as they are known before it runs. */
export interface Effects {
  /** Paths within the workspace, in order, without repetition. A folder includes all of its contents. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly deletes: readonly string[];
  readonly hosts: readonly string[];
  /** Requests with a known target, as a gate sees them: those over TLS are tunnels, whose target may be `host:port`. */
  readonly requests: readonly { readonly method: string; readonly url: string }[];
  /** Templates that ProcRun uses. */
  readonly templates: readonly string[];
  /** Pointers of arguments with a path, host or word of a command that is known only at run time. */
  readonly open: readonly string[];
  readonly network: boolean;
  readonly process: boolean;
  /** read: it only reads, and connects to nothing. */
  readonly category: 'read' | 'write';
}

/** A compiled script: it has no problem that can be found before it runs. */
export interface Program {
  readonly steps: readonly Step[];
  readonly cleanup: readonly Step[];
  readonly options: ScriptOptions;
  readonly effects: Effects;
}
