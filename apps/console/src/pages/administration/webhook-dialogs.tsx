// SPDX-License-Identifier: Apache-2.0
import type { Webhook, WebhookEvent } from '@writ/client/web';
import { useState, type ReactNode } from 'react';
import { useWebhookChanges } from '../../data/webhooks.ts';
import controls from '../../design/controls.module.css';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Shown } from '../../parts/shown.tsx';
import { administration } from '../../words/administration.ts';
import styles from './administration.module.css';
import { TextField } from './bits.tsx';
import { WEBHOOK_EVENTS } from './webhook-events.ts';

const words = administration.webhooks;

interface WebhookGiven {
  readonly webhook: Webhook;
  readonly close: () => void;
}
interface OnceGiven {
  /** shows a secret once */
  readonly show: (secret: string) => void;
}

const Which = ({ webhook }: { readonly webhook: Webhook }): ReactNode => (
  <p>
    <Shown text={webhook.name} /> <Shown text={webhook.url} isCode />
  </p>
);

interface Draft {
  readonly name: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
}

/** Makes a webhook, or changes one. */
export function WebhookDialog({
  webhook,
  show,
  close,
}: OnceGiven & { readonly webhook: Webhook | null; readonly close: () => void }): ReactNode {
  const { create, change } = useWebhookChanges();
  const [draft, setDraft] = useState<Draft>(() => ({
    name: webhook?.name ?? '',
    url: webhook?.url ?? '',
    events: WEBHOOK_EVENTS.filter((event) => webhook?.events.includes(event) ?? true),
  }));
  const set = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }));
  const body = { name: draft.name.trim(), url: draft.url.trim(), events: draft.events };
  return (
    <ConfirmDialog
      title={webhook === null ? words.createTitle : words.editTitle}
      action={webhook === null ? words.create : words.edit}
      mayRun={body.name !== '' && body.url !== '' && body.events.length > 0}
      run={async () => {
        if (webhook === null) show((await create(body)).secret);
        else await change(webhook.webhook_id, { ...body, state: webhook.state });
      }}
      close={close}
    >
      <TextField label={words.name} isFirst isRequired max={64} value={draft.name} change={(name) => set({ name })} />
      <TextField
        label={words.url}
        hint={words.urlHint}
        type="url"
        isRequired
        max={2_048}
        value={draft.url}
        change={(url) => set({ url })}
      />
      <EventsField events={draft.events} change={(events) => set({ events })} />
    </ConfirmDialog>
  );
}

interface EventsGiven {
  readonly events: readonly WebhookEvent[];
  readonly change: (events: readonly WebhookEvent[]) => void;
}

const EventsField = ({ events, change }: EventsGiven): ReactNode => (
  <fieldset className={styles['choices']}>
    <legend className={controls['label']}>{words.events}</legend>
    {WEBHOOK_EVENTS.map((event) => (
      <label key={event} className={controls['inline']}>
        <input
          type="checkbox"
          checked={events.includes(event)}
          onChange={({ target }) =>
            change(WEBHOOK_EVENTS.filter((one) => (one === event ? target.checked : events.includes(one))))
          }
        />
        <code>{event}</code>
      </label>
    ))}
  </fieldset>
);

export function PingDialog({ webhook, close }: WebhookGiven): ReactNode {
  const { ping } = useWebhookChanges();
  return (
    <ConfirmDialog title={words.pingTitle} action={words.ping} run={() => ping(webhook.webhook_id)} close={close}>
      <Which webhook={webhook} />
      <p>{words.pingText}</p>
    </ConfirmDialog>
  );
}

export function StateDialog({ webhook, close }: WebhookGiven): ReactNode {
  const { change } = useWebhookChanges();
  // What the dialog says stays what it does, also when the list is read again meanwhile.
  const [isOn] = useState(webhook.state === 'active');
  const { name, url } = webhook;
  const events = WEBHOOK_EVENTS.filter((event) => webhook.events.includes(event));
  return (
    <ConfirmDialog
      title={isOn ? words.off : words.on}
      action={isOn ? words.off : words.on}
      isDangerous={isOn}
      run={() => change(webhook.webhook_id, { name, url, events, state: isOn ? 'disabled' : 'active' })}
      close={close}
    >
      <Which webhook={webhook} />
      <p>{isOn ? words.offText : words.onText}</p>
    </ConfirmDialog>
  );
}

export function RotateDialog({ webhook, show, close }: WebhookGiven & OnceGiven): ReactNode {
  const { rotate } = useWebhookChanges();
  return (
    <ConfirmDialog
      title={words.rotateTitle}
      action={words.rotate}
      run={async () => show((await rotate(webhook.webhook_id)).secret)}
      close={close}
    >
      <Which webhook={webhook} />
      <p>{words.rotateText}</p>
    </ConfirmDialog>
  );
}

export function RemoveDialog({ webhook, close }: WebhookGiven): ReactNode {
  const { remove } = useWebhookChanges();
  return (
    <ConfirmDialog
      title={words.removeTitle}
      action={words.remove}
      isDangerous
      run={() => remove(webhook.webhook_id)}
      close={close}
    >
      <Which webhook={webhook} />
      <p>{words.removeText}</p>
    </ConfirmDialog>
  );
}
