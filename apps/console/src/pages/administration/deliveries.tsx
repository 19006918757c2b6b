// SPDX-License-Identifier: Apache-2.0
import type { Delivery } from '@writ/client/web';
import type { ReactNode } from 'react';
import { useDeliveries, useWebhookChanges } from '../../data/webhooks.ts';
import controls from '../../design/controls.module.css';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Badge } from '../../parts/marks.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { Span } from '../../parts/time.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { administration } from '../../words/administration.ts';
import styles from './administration.module.css';
import { Action } from './bits.tsx';

const words = administration.webhooks;
const TONES = { pending: 'warn', delivered: 'good', failed: 'bad' } as const;

/** What was sent to a webhook, newest first. */
export function Deliveries({ webhookId }: { readonly webhookId: string }): ReactNode {
  const list = useDeliveries(webhookId);
  return (
    <section>
      <h3>{words.deliveries}</h3>
      {list.isPending ? (
        <Skeleton lines={4} />
      ) : list.error !== null && list.rows.length === 0 ? (
        <Failed error={list.error} retry={list.retry} />
      ) : list.rows.length === 0 ? (
        <p className={controls['hint']}>{words.noDeliveries}</p>
      ) : (
        <div className={styles['deliveries']}>
          <VirtualRows
            label={words.deliveries}
            rows={list.rows}
            keyOf={({ delivery_id }) => delivery_id}
            render={(delivery) => <Row delivery={delivery} />}
            isLoadingMore={list.isLoadingMore}
            readMore={list.readMore}
          />
        </div>
      )}
    </section>
  );
}

const Row = ({ delivery }: { readonly delivery: Delivery }): ReactNode => (
  <div className={styles['delivery']}>
    <span>
      <Badge tone={TONES[delivery.state]}>{words.deliveryStates[delivery.state]}</Badge>
    </span>
    <span className={styles['deliveryText']}>
      <Shown text={delivery.kind} isCode />
      <span className={controls['hint']}>
        <Span at={delivery.created_at} /> · {words.attempts(delivery.attempts)}
        {delivery.last_status === null ? '' : ` · ${words.status(delivery.last_status)}`}
        {delivery.last_error === null ? null : (
          <>
            {' · '}
            <Shown text={delivery.last_error} />
          </>
        )}
      </span>
    </span>
    <Action
      label={words.again}
      roles={['admin', 'operator']}
      dialog={(close) => <AgainDialog delivery={delivery} close={close} />}
    />
  </div>
);

function AgainDialog({ delivery, close }: { readonly delivery: Delivery; readonly close: () => void }): ReactNode {
  const { redeliver } = useWebhookChanges();
  return (
    <ConfirmDialog
      title={words.againTitle}
      action={words.again}
      run={() => redeliver(delivery.webhook_id, delivery.delivery_id)}
      close={close}
    >
      <p>
        <Shown text={delivery.kind} isCode /> <Id id={delivery.message_id} />
      </p>
      <p>{words.againText}</p>
    </ConfirmDialog>
  );
}
