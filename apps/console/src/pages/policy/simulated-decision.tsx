// SPDX-License-Identifier: Apache-2.0
import type { Simulation } from '@writ/client/web';
import type { ReactNode } from 'react';
import controls from '../../design/controls.module.css';
import { CedarText } from '../../parts/cedar-text.tsx';
import { Badge, Risk } from '../../parts/marks.tsx';
import { Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import own from './policy.module.css';

const words = en.policy.simulate;
const TONES = { admitted: 'good', held: 'warn', refused: 'bad' } as const;

/** The decision that a call would get, and why. */
export function SimulatedDecision({ simulation }: { readonly simulation: Simulation }): ReactNode {
  const { would_be, autonomy_mode, risk_score, explanation, error, approvers, reasons, warnings = [] } = simulation;
  return (
    <div className={own['verdict']}>
      <p className={`${controls['note']} ${controls[TONES[would_be]]}`}>
        <strong>{words.wouldBe[would_be]}</strong> <Badge tone={null}>{en.policy.modes[autonomy_mode]}</Badge>{' '}
        {en.call.risk} <Risk score={risk_score} />
      </p>
      {approvers === null ? null : <p>{words.approvers(approvers.count, en.roles[approvers.role])}</p>}
      {error === null ? null : (
        <p>
          <Shown text={error.message} />
        </p>
      )}
      <Reasons reasons={reasons} />
      {explanation === null || explanation.would_pass.length === 0 ? null : (
        <Texts title={words.wouldPass} texts={explanation.would_pass} />
      )}
      {explanation === null || explanation.rules.length === 0 ? null : (
        <div>
          <h3>{words.decidedBy}</h3>
          <CedarText text={explanation.rules.map(({ text }) => text).join('\n\n')} label={words.decidedBy} />
        </div>
      )}
      {warnings.length === 0 ? null : (
        <Texts title={words.warnings} texts={warnings.map(({ message, help }) => `${message} ${help}`.trim())} />
      )}
    </div>
  );
}

const Reasons = ({ reasons }: Pick<Simulation, 'reasons'>): ReactNode => (
  <div>
    <h3>{words.reasons}</h3>
    {reasons.length === 0 ? <p className={controls['hint']}>{words.noReasons}</p> : null}
    <ul>
      {reasons.map(({ code, message }, at) => (
        <li key={at}>
          <Shown text={code} isCode />: <Shown text={message} />
        </li>
      ))}
    </ul>
  </div>
);

const Texts = ({ title, texts }: { readonly title: string; readonly texts: readonly string[] }): ReactNode => (
  <div>
    <h3>{title}</h3>
    <ul>
      {texts.map((text, at) => (
        <li key={at}>
          <Shown text={text} />
        </li>
      ))}
    </ul>
  </div>
);
