// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';
import controls from '../design/controls.module.css';
import { en } from '../words/en.ts';

type Tone = 'good' | 'bad' | 'warn' | null;

export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }): ReactNode => (
  <span className={`${controls['badge']} ${tone === null ? '' : controls[tone]}`}>{children}</span>
);

/** From these scores on a risk is shown as medium and as high. */
const MEDIUM = 0.3;
const HIGH = 0.6;

/** A risk score from 0 to 1, as a number of 100. The number says it, not the colour alone. */
export const Risk = ({ score }: { readonly score: number }): ReactNode => (
  <Badge tone={score >= HIGH ? 'bad' : score >= MEDIUM ? 'warn' : null}>{Math.round(score * 100)}</Badge>
);

const TONES: Readonly<Record<string, Tone>> = {
  held: 'warn',
  committed: 'good',
  refused: 'bad',
  rolled_back: 'bad',
  ambiguous: 'bad',
};

export const State = ({ state }: { readonly state: string }): ReactNode => (
  <Badge tone={TONES[state] ?? null}>{en.states[state] ?? state}</Badge>
);
