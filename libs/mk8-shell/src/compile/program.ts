// SPDX-License-Identifier: Apache-2.0
import type { Verb } from '../registry/verb.ts';
import type { PredicateKind } from '../script/schema.ts';
import type { PatchSource, ScriptOptions } from '../script/script.ts';
import type { Text } from './text.ts';

/** What an If asks. All steps that it put there share it, and it is asked once, when the first of them is reached. */
export interface Condition {
  readonly kind: PredicateKind;
  readonly args: readonly Text[];
}

/** One operation, ready to run. */
export interface Step {
  readonly verb: Verb;
  /** Where it stands in the script. */
  readonly pointer: string;
  readonly args: readonly Text[];
  readonly conditions: readonly Condition[];
  readonly label: string | null;
  /** The step that a failure goes on with; later than this one. Null where the failure mode decides. */
  readonly goto: number | null;
  readonly captureAs: string | null;
  readonly attempts: number;
  readonly timeoutMs: number;
  readonly template: { readonly source: Text; readonly values: ReadonlyMap<string, string> } | null;
  readonly patches: readonly PatchSource[];
}

/** What a script may do, as far as it is known before it runs. */
export interface Effects {
  /** Paths within the workspace, in order, without repetition. A folder stands for all that is in it. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly deletes: readonly string[];
  readonly hosts: readonly string[];
  /** Requests whose URL is known, as a gate sees them: what goes over TLS is a tunnel. */
  readonly requests: readonly { readonly method: string; readonly url: string }[];
  /** Templates that ProcRun uses. */
  readonly templates: readonly string[];
  /** Pointers of arguments that name a path, host or word of a command which is known only when they run. */
  readonly open: readonly string[];
  readonly network: boolean;
  readonly process: boolean;
  /** read: it looks, and connects to nothing. */
  readonly category: 'read' | 'write';
}

/** A script that compiled: nothing about it is wrong that can be known before it runs. */
export interface Program {
  readonly steps: readonly Step[];
  readonly cleanup: readonly Step[];
  readonly options: ScriptOptions;
  readonly effects: Effects;
}
