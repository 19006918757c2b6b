// SPDX-License-Identifier: Apache-2.0
import { Fault, type PreviewView } from '@writ/contract';
import { storedArgumentsOf } from '../../execution/held/index.ts';
import { isUnreadable } from '../../evidence/payload/index.ts';
import type { Arguments, ArgumentsReader } from '../../judging/judgement/index.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';
import { viewPreview, type StagedEffectSources } from './view-preview.ts';

/** What a person sees of a held call before they decide. */
export interface HeldContentSources extends StagedEffectSources {
  readonly args: ArgumentsReader;
}

/** What was stored of a call and can be shown; null: it can't be read. */
export type Shown<T> = { readonly content: T } | null;

/** The arguments: null in `content` once they were erased. */
export const showArguments = (args: ArgumentsReader, held: HeldCall): Promise<Shown<Arguments | null>> =>
  orUnreadable(args.readShown(held.operation, storedArgumentsOf(held)));

/** The preview with the effect that is staged. */
export const showPreview = (held: HeldCall, sources: StagedEffectSources): Promise<Shown<PreviewView>> =>
  orUnreadable(viewPreview(held, sources));

/**
 * INVARIANT (a yes is for what can be seen): nobody approves a call whose arguments or staged effect no person can look
 * at. Such a call may be denied.
 * @throws Fault `conflict`
 */
export async function requireReadable(sources: HeldContentSources, held: HeldCall): Promise<void> {
  const shown = [await showArguments(sources.args, held), await showPreview(held, sources)];
  if (shown.includes(null)) throw unreadableFault();
}

/** With what an approval of a call that nobody can look at is refused. */
export const unreadableFault = (): Fault =>
  new Fault(
    'conflict',
    'what is stored of the call can not be read, so nobody sees what an approval would run: deny the call',
  );

async function orUnreadable<T>(reading: Promise<T>): Promise<Shown<T>> {
  try {
    return { content: await reading };
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  }
}
