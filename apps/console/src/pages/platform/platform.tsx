// SPDX-License-Identifier: Apache-2.0
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { openPlatform } from '../../data/platform.ts';
import { SessionContext, type Session } from '../../data/session.ts';
import controls from '../../design/controls.module.css';
import { errorText } from '../../parts/loading.tsx';
import { Shown } from '../../parts/shown.tsx';
import { platform as words } from '../../words/platform.ts';
import styles from '../administration/administration.module.css';
import { TextField } from '../administration/bits.tsx';
import { Health } from './health.tsx';
import { PlatformFreezes } from './platform-freezes.tsx';
import { Tenants } from './tenants.tsx';

const TABS = ['health', 'tenants', 'freezes'] as const;
const KEY_CHARS_MAX = 512;

/** What runs the deployment, for whoever has the platform key. */
export function Platform(): ReactNode {
  const [session, setSession] = useState<Session | null>(null);
  return (
    <section className={styles['page']} aria-labelledby="page-title">
      <header className={styles['heading']}>
        <h1 id="page-title">{words.title}</h1>
        {session === null ? null : <Tabs leave={() => setSession(null)} />}
      </header>
      {session === null ? <KeyForm open={setSession} /> : <Opened session={session} />}
    </section>
  );
}

const Tabs = ({ leave }: { readonly leave: () => void }): ReactNode => (
  <nav aria-label={words.title} className={styles['tabs']}>
    {TABS.map((tab) => (
      <Link key={tab} to="/platform" search={{ show: tab }} className={styles['tab']}>
        {words.tabs[tab]}
      </Link>
    ))}
    <button type="button" className={`${controls['button']} ${controls['plain']}`} onClick={leave}>
      {words.leave}
    </button>
  </nav>
);

/** What is read with the platform key is kept apart, and forgotten with it. */
function Opened({ session }: { readonly session: Session }): ReactNode {
  const { show } = useSearch({ from: '/platform' });
  const client = useMemo(() => new QueryClient({ defaultOptions: { queries: { retry: 1 } } }), []);
  useEffect(() => () => client.clear(), [client]);
  return (
    <QueryClientProvider client={client}>
      <SessionContext value={session}>
        {show === 'tenants' ? <Tenants /> : show === 'freezes' ? <PlatformFreezes /> : <Health />}
      </SessionContext>
    </QueryClientProvider>
  );
}

function KeyForm({ open }: { readonly open: (session: Session) => void }): ReactNode {
  const [key, setKey] = useState('');
  const [isOpening, setOpening] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const send = async (): Promise<void> => {
    setOpening(true);
    try {
      const session = await openPlatform(key.trim());
      if (session.me.kind === 'platform') open(session);
      else setProblem(words.wrong);
    } catch (error) {
      setProblem(errorText(error));
    } finally {
      setOpening(false);
    }
  };
  return (
    <form
      className={`${styles['body']} ${styles['block']}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (key.trim() !== '' && !isOpening) void send();
      }}
    >
      <p>{words.keyText}</p>
      <TextField label={words.key} type="password" isFirst isRequired max={KEY_CHARS_MAX} value={key} change={setKey} />
      {problem === null ? null : (
        <p className={`${controls['note']} ${controls['bad']}`} role="alert">
          <Shown text={problem} />
        </p>
      )}
      <div>
        <button type="submit" className={`${controls['button']} ${controls['main']}`} disabled={isOpening}>
          {isOpening ? words.opening : words.open}
        </button>
      </div>
    </form>
  );
}
