// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo, useState, type ReactNode } from 'react';
import { Live, LiveContext, useConnection } from '../data/live.ts';
import { openSession, SessionContext, useSession, type Session } from '../data/session.ts';
import controls from '../design/controls.module.css';
import { Failed, Skeleton } from '../parts/loading.tsx';
import { useGoKeys, useKeys } from '../parts/keys.ts';
import { Shown } from '../parts/shown.tsx';
import { en } from '../words/en.ts';
import { PLACES } from './places.ts';
import { SignInNotice } from './sign-in-notice.tsx';
import { StopButton, StopNote } from './stop.tsx';
import styles from './shell.module.css';
import { applyTheme, storedTheme, THEMES, type Theme } from './theme.ts';

// React Aria's list boxes are loaded when somebody asks for them.
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

/** The frame around every page: who is signed in, where one can go, and whether what is shown is live. */
export function Shell(): ReactNode {
  const {
    data: session,
    error,
    isPending,
    refetch,
  } = useQuery({ queryKey: ['session'], queryFn: openSession, staleTime: Infinity });
  if (isPending) return <Skeleton lines={10} />;
  if (session === undefined) return <Failed error={error} retry={() => void refetch()} />;
  if (session === null) return <SignInNotice />;
  return <SignedIn session={session} />;
}

function SignedIn({ session }: { readonly session: Session }): ReactNode {
  const live = useMemo(() => new Live(session.options), [session]);
  useEffect(() => {
    const stop = new AbortController();
    void live.run(stop.signal);
    return () => stop.abort();
  }, [live]);
  return (
    <SessionContext value={session}>
      <LiveContext value={live}>
        <Frame />
      </LiveContext>
    </SessionContext>
  );
}

function Frame(): ReactNode {
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setPaletteOpen(true);
    };
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
  const openPalette = (): void => setPaletteOpen(true);
  return (
    <div className={styles['frame']}>
      <a className={styles['skip']} href="#content">
        {en.app.skip}
      </a>
      <Navigation openPalette={openPalette} />
      <main id="content" className={styles['content']} tabIndex={-1}>
        <div>
          <LostNote />
          <StopNote />
        </div>
        <Outlet />
      </main>
      {isPaletteOpen ? (
        <Suspense>
          <Palette close={() => setPaletteOpen(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}

function LostNote(): ReactNode {
  const isLost = useConnection() === 'lost';
  return (
    <div role="status">
      {isLost ? (
        <p className={`${controls['note']} ${controls['warn']} ${styles['lost']}`}>{en.live.lostNote}</p>
      ) : null}
    </div>
  );
}

function Navigation({ openPalette }: { readonly openPalette: () => void }): ReactNode {
  const navigate = useNavigate();
  useKeys(useMemo(() => ({ '/': openPalette }), [openPalette]));
  useGoKeys(
    useMemo(
      () => Object.fromEntries(PLACES.map(({ to, key }) => [key, () => void navigate({ to, search: {} })])),
      [navigate],
    ),
  );
  return (
    <header className={styles['bar']}>
      <span className={styles['name']}>{en.app.name}</span>
      <nav aria-label={en.app.menu}>
        <ul className={styles['places']}>
          {PLACES.map(({ to, label, key }) => (
            <li key={to}>
              <Link
                to={to}
                search={{}}
                className={styles['place']}
                activeProps={{ 'aria-current': 'page' }}
                aria-keyshortcuts={`g ${key}`}
              >
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className={styles['foot']}>
        <button type="button" className={`${controls['button']} ${styles['command']}`} onClick={openPalette}>
          {en.palette.open} <kbd>/</kbd>
        </button>
        <StopButton />
        <ConnectionMark />
        <Colours />
        <Me />
      </div>
    </header>
  );
}

function ConnectionMark(): ReactNode {
  const connection = useConnection();
  return (
    <span className={styles['connection']} data-connection={connection} role="status">
      {en.live[connection]}
    </span>
  );
}

function Colours(): ReactNode {
  const [theme, setTheme] = useState(storedTheme);
  const change = (chosen: Theme): void => {
    setTheme(chosen);
    applyTheme(chosen);
  };
  return (
    <select
      className={`${controls['select']} ${styles['theme']}`}
      aria-label={en.app.theme}
      value={theme}
      onChange={({ target }) => change(target.value as Theme)}
    >
      {THEMES.map((one) => (
        <option key={one} value={one}>
          {en.themes[one]}
        </option>
      ))}
    </select>
  );
}

function Me(): ReactNode {
  const { me } = useSession();
  return (
    <div className={styles['me']}>
      <span>
        <Shown text={me.principal ?? me.name ?? me.kind} />
        {me.role === null ? null : <span className={controls['hint']}> {en.roles[me.role]}</span>}
      </span>
      <a href="/sign-in?to=/console/">{en.app.account}</a>
    </div>
  );
}
