// SPDX-License-Identifier: Apache-2.0
import type { ReadSystemAnswer } from '@writ/client/web';
import type { ReactNode } from 'react';
import { useSystem } from '../../data/platform.ts';
import controls from '../../design/controls.module.css';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Badge } from '../../parts/marks.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { spanOf } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';
import { platform } from '../../words/platform.ts';
import styles from '../administration/administration.module.css';
import { Facts, moment, Part } from '../administration/bits.tsx';

const words = platform.health;

/** How the deployment is. */
export function Health(): ReactNode {
  const { data, error, isPending, refetch } = useSystem();
  return (
    <Part title={platform.tabs.health} text={words.text}>
      {isPending ? (
        <Skeleton lines={12} />
      ) : data === undefined ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : (
        <div className={styles['body']}>
          <Overview system={data} />
          <Pools system={data} />
          <Executors system={data} />
        </div>
      )}
    </Part>
  );
}

interface SystemGiven {
  readonly system: ReadSystemAnswer;
}

const Overview = ({ system: { outbox, database, orchestrator, kernel, migrations } }: SystemGiven): ReactNode => (
  <section className={styles['block']}>
    <h3>{words.ledger}</h3>
    <Facts
      of={[
        [words.waiting, outbox.rows.toLocaleString('en')],
        [words.oldest, moment(outbox.oldest_at)],
      ]}
    />
    <h3>{words.database}</h3>
    <Facts
      of={[
        [words.version, <Shown key="version" text={database.version} />],
        [
          words.durable,
          <Badge key="durable" tone={database.durable ? 'good' : 'bad'}>
            {database.durable ? words.yes : words.no}
          </Badge>,
        ],
        [words.connections, database.connections_max],
        [words.migrations, migrations.length],
      ]}
    />
    <h3>{words.kernel}</h3>
    <Facts
      of={[
        [words.version, <Shown key="version" text={kernel.version} />],
        [words.clock, words.ms(kernel.now - database.now)],
      ]}
    />
    <h3>{words.orchestrator}</h3>
    <Facts
      of={[
        [words.version, <Shown key="version" text={orchestrator.version} />],
        [words.clock, words.ms(orchestrator.now - database.now)],
      ]}
    />
  </section>
);

const Heads = ({ of }: { readonly of: Readonly<Record<string, string>> }): ReactNode => (
  <thead>
    <tr>
      {Object.entries(of).map(([column, label]) => (
        <th key={column} scope="col">
          {label}
        </th>
      ))}
    </tr>
  </thead>
);

const Pools = ({ system: { kernel } }: SystemGiven): ReactNode => (
  <section className={styles['block']}>
    <h3>{words.pools}</h3>
    <table className={styles['table']}>
      <Heads of={words.poolColumns} />
      <tbody>
        {Object.entries(kernel.pools).map(([name, pool]) => (
          <tr key={name}>
            <td>
              <Shown text={name} isCode />
            </td>
            <td>{pool.connections}</td>
            <td>{pool.idle}</td>
            <td>{pool.connections_max}</td>
            <td>{pool.waiting}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

const Executors = ({ system: { executors } }: SystemGiven): ReactNode => (
  <section className={styles['block']}>
    <h3>{words.executors}</h3>
    {executors.length === 0 ? (
      <p className={controls['hint']}>{words.noExecutors}</p>
    ) : (
      <table className={styles['table']}>
        <Heads of={words.executorColumns} />
        <tbody>
          {executors.flatMap(({ executor_id, slots, free, seen_ms_ago }) =>
            Object.entries(slots).map(([lane, count]) => (
              <tr key={`${executor_id} ${lane}`}>
                <td>
                  <Id id={executor_id} isShort />
                </td>
                <td>
                  <Shown text={lane} isCode />
                </td>
                <td>{free[lane] ?? 0}</td>
                <td>{count}</td>
                <td>{en.time.ago(spanOf(seen_ms_ago))}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    )}
  </section>
);
