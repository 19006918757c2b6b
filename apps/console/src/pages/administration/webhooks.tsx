// SPDX-License-Identifier: Apache-2.0
import type { Webhook } from '@writ/client/web';
import { useState, type ReactNode } from 'react';
import { useWebhooks } from '../../data/webhooks.ts';
import { Badge } from '../../parts/marks.tsx';
import { Shown } from '../../parts/shown.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { Span } from '../../parts/time.tsx';
import { administration } from '../../words/administration.ts';
import { Action, Doing, Facts, id, MayNotNote, moment, Part } from './bits.tsx';
import { ChosenList, type Column } from './chosen-list.tsx';
import { Deliveries } from './deliveries.tsx';
import { PingDialog, RemoveDialog, RotateDialog, StateDialog, WebhookDialog } from './webhook-dialogs.tsx';

const words = administration.webhooks;

/** Where messages are sent, and what became of them. */
export function Webhooks(): ReactNode {
  const list = useWebhooks();
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Part
      title={administration.tabs.webhooks}
      text={words.text}
      end={
        <>
          <Action
            label={words.create}
            tone="main"
            dialog={(close) => <WebhookDialog webhook={null} show={setSecret} close={close} />}
          />
          <MayNotNote />
        </>
      }
    >
      <ChosenList
        label={administration.tabs.webhooks}
        list={list}
        keyOf={keyOf}
        nameOf={({ name }) => <Shown text={name} />}
        columns={COLUMNS}
        details={(webhook) => <Details webhook={webhook} show={setSecret} />}
        none={words.none}
      />
      {secret === null ? null : (
        <ShownOnce title={words.onceTitle} text={words.onceText} value={secret} close={() => setSecret(null)} />
      )}
    </Part>
  );
}

const keyOf = ({ webhook_id }: Webhook): string => webhook_id;

const State = ({ webhook }: { readonly webhook: Webhook }): ReactNode => (
  <Badge tone={webhook.state === 'disabled' ? null : webhook.failing_since === null ? 'good' : 'bad'}>
    {words.states[webhook.state]}
  </Badge>
);

const COLUMNS: readonly Column<Webhook>[] = [
  { label: words.columns.name, width: 'minmax(7rem, 1fr)', cell: ({ name }) => <Shown text={name} /> },
  {
    label: words.columns.url,
    width: 'minmax(8rem, 2fr)',
    isMinor: true,
    cell: ({ url }) => <Shown text={url} isCode />,
  },
  { label: words.columns.state, width: '5rem', cell: (webhook) => <State webhook={webhook} /> },
  { label: words.columns.since, width: '5.5rem', isMinor: true, cell: ({ created_at }) => <Span at={created_at} /> },
];

interface DetailsGiven {
  readonly webhook: Webhook;
  readonly show: (secret: string) => void;
}

const Details = ({ webhook, show }: DetailsGiven): ReactNode => (
  <>
    <Facts
      of={[
        [words.columns.state, <State key="state" webhook={webhook} />],
        [words.columns.url, <Shown key="url" text={webhook.url} isCode />],
        [words.whyOff, webhook.disabled_reason === null ? null : words.why[webhook.disabled_reason]],
        [words.failing, moment(webhook.failing_since)],
        [words.events, <Shown key="events" text={webhook.events.join(', ')} />],
        [words.former, moment(webhook.old_until)],
        [administration.facts.created, moment(webhook.created_at)],
        [administration.facts.createdBy, id(webhook.created_by)],
        [administration.facts.id, id(webhook.webhook_id)],
      ]}
    />
    <Doing>
      <Action
        label={words.ping}
        roles={['admin', 'operator']}
        dialog={(close) => <PingDialog webhook={webhook} close={close} />}
      />
      <Action label={words.edit} dialog={(close) => <WebhookDialog webhook={webhook} show={show} close={close} />} />
      <Action
        label={webhook.state === 'active' ? words.off : words.on}
        dialog={(close) => <StateDialog webhook={webhook} close={close} />}
      />
      <Action label={words.rotate} dialog={(close) => <RotateDialog webhook={webhook} show={show} close={close} />} />
      <Action label={words.remove} tone="danger" dialog={(close) => <RemoveDialog webhook={webhook} close={close} />} />
    </Doing>
    <MayNotNote />
    <Deliveries webhookId={webhook.webhook_id} />
  </>
);
