// SPDX-License-Identifier: Apache-2.0
import type { Operation } from '@writ/client/web';
import type { ReactNode } from 'react';
import { useRecordsOf } from '../../data/operations.ts';
import controls from '../../design/controls.module.css';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { Moment } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';
import styles from './activity.module.css';
import { stepsOf, type Step } from './steps.ts';

/** The states of a call in time, as its records in the log say them. */
export function Timeline({ operation }: { readonly operation: Operation }): ReactNode {
  const { data, error, isPending, refetch } = useRecordsOf(operation.operation_id);
  if (isPending) return <Skeleton lines={4} />;
  if (data === undefined) return <Failed error={error} retry={() => void refetch()} />;
  return (
    <ol className={styles['steps']}>
      {stepsOf(operation, data).map((step) => (
        <StepRow key={`${step.title} ${step.at}`} step={step} />
      ))}
    </ol>
  );
}

const StepRow = ({ step }: { readonly step: Step }): ReactNode => (
  <li className={styles['step']} data-tone={step.tone ?? undefined}>
    <strong>{step.title}</strong>
    <span className={controls['hint']}>
      <Moment at={step.at} />
    </span>
    {step.texts.map((text) => (
      <span key={text} className={styles['stepText']}>
        <Shown text={text} />
      </span>
    ))}
    {step.recordId === null ? null : (
      <span className={styles['stepText']}>
        {en.operation.record} <Id id={step.recordId} />
      </span>
    )}
  </li>
);
