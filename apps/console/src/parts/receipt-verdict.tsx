// SPDX-License-Identifier: Apache-2.0
import type { VerifiedReceipt } from '@writ/client/verify';
import type { ReactNode } from 'react';
import controls from '../design/controls.module.css';
import { en } from '../words/en.ts';
import { errorText } from './loading.tsx';
import styles from './receipt-verdict.module.css';
import { Shown } from './shown.tsx';

/** A receipt that verified, with each check that passed. */
export const Verified = ({ receipt }: { readonly receipt: VerifiedReceipt }): ReactNode => (
  <>
    <p className={`${controls['note']} ${controls['good']}`}>
      <strong>{en.operation.verified}</strong>
    </p>
    <ul className={styles['checks']}>
      {receipt.checks.map(({ name, detail }) => (
        <li key={name} className={styles['check']}>
          <span>{name}</span>
          <Shown text={detail} />
        </li>
      ))}
    </ul>
  </>
);

/** A receipt that did not verify, with the check that failed. */
export const NotVerified = ({ error }: { readonly error: unknown }): ReactNode => (
  <div className={`${controls['note']} ${controls['bad']}`} role="alert">
    <strong>{en.operation.failed}</strong>
    <p>
      <Shown text={errorText(error)} />
    </p>
  </div>
);
