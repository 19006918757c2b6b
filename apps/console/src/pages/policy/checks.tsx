// SPDX-License-Identifier: Apache-2.0
import { ProblemError } from '@writ/client/web';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { useDocumentCheck } from '../../data/policies.ts';
import controls from '../../design/controls.module.css';
import { errorText } from '../../parts/loading.tsx';
import { Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import { problemsIn, type Drafted, type DraftProblem } from './document.ts';
import own from './policy.module.css';

/** How long nothing is typed before the set is checked, in milliseconds. */
const PAUSE_MS = 400;
const words = en.policy.editor;

/** What is known of the set as it stands. */
export interface Checked {
  readonly problems: readonly DraftProblem[];
  readonly isValid: boolean;
  readonly isChecking: boolean;
  /** why the server could not check it; null: it could */
  readonly failure: string | null;
}
const NO_PROBLEMS: readonly DraftProblem[] = [];

/** The value, as soon as it stays the same for a while. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(value), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [value]);
  return settled;
}

/** What is wrong with a set. INVARIANT (as it stands): it is valid only where exactly this text was checked. */
export function useProblems(drafted: Drafted): Checked {
  const settled = useSettled(drafted);
  const { error, isSuccess, isFetching } = useDocumentCheck(settled.document);
  const isSettled = settled === drafted;
  const isInvalid = error instanceof ProblemError && error.code === 'policy.invalid';
  const problems = useMemo(
    () =>
      settled.problem !== null
        ? [settled.problem]
        : isInvalid
          ? problemsIn(error.problem?.detail ?? error.message)
          : NO_PROBLEMS,
    [settled.problem, isInvalid, error],
  );
  return {
    problems,
    isValid: isSettled && isSuccess && drafted.problem === null,
    isChecking: !isSettled || isFetching,
    failure: error !== null && !isInvalid && settled.problem === null ? errorText(error) : null,
  };
}

interface ChecksGiven {
  readonly checked: Checked;
  readonly goTo: (line: number) => void;
}

/** The problems of the set, each with the way to its line. */
export const Checks = ({ checked: { problems, isValid, isChecking, failure }, goTo }: ChecksGiven): ReactNode => (
  <section aria-live="polite">
    <h2>{words.checks}</h2>
    {failure !== null ? (
      <div className={`${controls['note']} ${controls['warn']}`} role="alert">
        {words.unchecked}: <Shown text={failure} />
      </div>
    ) : problems.length > 0 ? (
      <>
        <p className={controls['hint']}>{words.invalid(problems.length)}</p>
        <ul className={own['problems']}>
          {problems.map((problem, at) => (
            <li key={at}>
              <Problem problem={problem} goTo={goTo} />
            </li>
          ))}
        </ul>
      </>
    ) : (
      <p className={`${controls['note']} ${isValid ? controls['good'] : ''}`}>
        {isValid || !isChecking ? words.valid : words.checking}
      </p>
    )}
  </section>
);

function Problem({
  problem: { line, column, text },
  goTo,
}: {
  readonly problem: DraftProblem;
  readonly goTo: ChecksGiven['goTo'];
}): ReactNode {
  if (line === null)
    return (
      <p className={own['problem']}>
        <Shown text={text} />
      </p>
    );
  return (
    <button type="button" className={own['problem']} title={words.go(line)} onClick={() => goTo(line)}>
      <span className={controls['hint']}>{words.line(line, column ?? 1)}</span>
      <Shown text={text} />
    </button>
  );
}
