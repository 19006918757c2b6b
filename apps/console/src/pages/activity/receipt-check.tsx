// SPDX-License-Identifier: Apache-2.0
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { readReceipt, verifyHere } from '../../data/receipts.ts';
import { useSession } from '../../data/session.ts';
import controls from '../../design/controls.module.css';
import { errorText } from '../../parts/loading.tsx';
import { NotVerified, Verified } from '../../parts/receipt-verdict.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import styles from './activity.module.css';

/** Verifies a call's receipt in the page. The verifier is loaded for it. */
export function ReceiptCheck({ operationId }: { readonly operationId: string }): ReactNode {
  const { api } = useSession();
  const check = useMutation({ retry: false, mutationFn: async () => await verifyHere(api, operationId) });
  const download = useMutation({
    retry: false,
    mutationFn: async () => saveFile(`${operationId}.receipt.json`, await readReceipt(api, operationId)),
  });
  return (
    <section className={styles['receipt']} aria-live="polite">
      <h2>{en.operation.receipt}</h2>
      <p className={controls['hint']}>{en.operation.receiptText}</p>
      <div className={controls['actions']}>
        <button type="button" className={controls['button']} disabled={check.isPending} onClick={() => check.mutate()}>
          {check.isPending ? en.operation.verifying : en.operation.verify}
        </button>
        <button type="button" className={controls['button']} onClick={() => download.mutate()}>
          {en.operation.download}
        </button>
      </div>
      {check.isSuccess ? (
        <>
          <Verified receipt={check.data} />
          <p className={controls['hint']}>{en.operation.keysNote}</p>
        </>
      ) : null}
      {check.isError ? <NotVerified error={check.error} /> : null}
      {download.isError ? (
        <p className={`${controls['note']} ${controls['bad']}`} role="alert">
          <Shown text={errorText(download.error)} />
        </p>
      ) : null}
    </section>
  );
}
