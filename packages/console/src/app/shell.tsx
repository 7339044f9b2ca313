import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Link, useLocation } from 'wouter'
import type { SessionDetail } from '../api/answers.ts'
import { useAnnouncement } from './announce.ts'
import { following, live, useChanges, useLiveState } from './live/use-live.ts'
import { Icon, type IconName } from './parts/icon.tsx'
import { Palette } from './parts/palette.tsx'
import { ShortcutHelp } from './parts/shortcut-help.tsx'
import { shortcuts, theme } from './preference.ts'
import { get } from './request.ts'
import { useScrollPlace } from './scroll-place.ts'
import { clockTime, formatDuration, timeMode, useNow } from './time.ts'
import { href, useAddress } from './url.ts'

const PAGES: readonly (readonly [path: string, icon: IconName, name: string])[] = [
  ['/', 'overview', 'Overview'],
  ['/events', 'events', 'Events'],
  ['/runs', 'runs', 'Runs'],
  ['/objects', 'objects', 'Objects'],
  ['/parked', 'parked', 'Parked'],
  ['/health', 'health', 'Health'],
  ['/templates', 'templates', 'Templates'],
  ['/operators', 'operators', 'Operators'],
  ['/replay', 'replay', 'Replay'],
  ['/audit', 'audit', 'Audit'],
  ['/access', 'access', 'Access'],
]

/** Two keys in a row: g, then the page's. */
const GO: Readonly<Record<string, string>> = {
  o: '/',
  e: '/events',
  r: '/runs',
  b: '/objects',
  p: '/parked',
  h: '/health',
  t: '/templates',
}

/** Reads again what is shown when the server is back: what failed meanwhile, and what may have changed. */
function useRenewal(): void {
  const client = useQueryClient()
  useEffect(() => {
    let wasAway = false
    return live.onState(() => {
      if (live.state.state === 'live' && wasAway) void client.invalidateQueries()
      wasAway = live.state.state === 'reconnecting'
    })
  }, [client])
}

/** Whether the page before this one was the console's too. Browsers that cannot say it are taken to the list. */
const canGoBack = () => (window as { navigation?: { canGoBack: boolean } }).navigation?.canGoBack === true

export function Shell({
  session,
  children,
}: {
  session: SessionDetail | undefined
  children: ReactNode
}): ReactElement {
  const [path, navigate] = useLocation()
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const [isHelpOpen, setHelpOpen] = useState(false)
  const [isMenuOpen, setMenuOpen] = useState(false)
  const message = useAnnouncement()
  const main = useRef<HTMLElement>(null)
  useScrollPlace(main, path)
  useRenewal()
  useEffect(() => setMenuOpen(false), [path])

  useEffect(() => {
    let isGoing = false
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        setPaletteOpen(true)
        return
      }
      const isTyping = (event.target as HTMLElement).closest?.('input,textarea,select,[contenteditable],dialog')
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey || shortcuts.get() === 'off') return
      const target = isGoing ? GO[event.key] : undefined
      isGoing = event.key === 'g'
      if (target !== undefined) navigate(href(target))
      else if (event.key === '?') setHelpOpen(true)
      else if (event.key === '/') {
        event.preventDefault()
        document.querySelector<HTMLInputElement>('.filter-box input')?.focus()
      } else if ((event.key === 'j' || event.key === 'k') && !document.activeElement?.closest('[role="table"]')) {
        document.querySelector<HTMLElement>('[role="row"][tabindex="0"]')?.focus()
      } else if (event.key === 'Escape' && path.split('/').length > 2) {
        // Whoever came by a link from elsewhere stays in the console.
        if (canGoBack()) history.back()
        else navigate(href(`/${path.split('/')[1]}`))
      }
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [navigate, path])

  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <nav className={isMenuOpen ? 'rail open' : 'rail'} aria-label="Pages">
        <Link href={href('/')} className="brand">
          <img src="/icon.svg" alt="" width="24" height="24" />
          <span>Tiphys</span>
        </Link>
        <ul>
          {PAGES.map(([to, icon, name]) => {
            const isHere = to === '/' ? path === '/' : path.startsWith(to)
            return (
              <li key={to}>
                <Link href={href(to)} aria-current={isHere ? 'page' : undefined} className="rail-link">
                  <Icon name={icon} />
                  <span>{name}</span>
                  {to === '/parked' && <ParkedCount />}
                </Link>
              </li>
            )
          })}
        </ul>
        {session && (
          <div className="who" title={[session.user, ...session.groups].join('\n')}>
            <Icon name="user" size={14} />
            <span>{session.user}</span>
          </div>
        )}
      </nav>
      <div className="stage">
        <header className="topbar">
          <button
            type="button"
            className="button quiet icon-only menu-button"
            aria-label="Pages"
            aria-expanded={isMenuOpen}
            onClick={() => setMenuOpen(!isMenuOpen)}
          >
            <Icon name="menu" />
          </button>
          <NamespacePicker namespaces={session?.namespaces ?? []} />
          <button type="button" className="palette-button" onClick={() => setPaletteOpen(true)}>
            <Icon name="search" size={14} />
            <span>Search, paste an id, run a command…</span>
            <kbd>Ctrl K</kbd>
          </button>
          <LiveChip />
          <TimeSwitch />
          <ThemeSwitch />
        </header>
        <main ref={main} id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
      <div className="voice" role="status" aria-live="polite">
        {message}
      </div>
      {isPaletteOpen && <Palette onClose={() => setPaletteOpen(false)} onHelp={() => setHelpOpen(true)} />}
      {isHelpOpen && <ShortcutHelp onClose={() => setHelpOpen(false)} />}
    </div>
  )
}

function ParkedCount(): ReactElement | null {
  const ns = useAddress().get('ns')
  useChanges([['parked-count']])
  const parked = useQuery({
    queryKey: ['parked-count', ns],
    queryFn: ({ signal }) => get<readonly { count: number; isAtLeast?: boolean }[]>('/parked', { ns }, signal),
  })
  const isAtLeast = parked.data?.some(group => group.isAtLeast) === true
  const count = parked.data?.reduce((sum, group) => sum + group.count, 0) ?? 0
  return count === 0 ? null : (
    <span className="count" title={`${isAtLeast ? 'at least ' : ''}${count.toLocaleString('en')} parked`}>
      {count > 999 ? '999+' : `${count}${isAtLeast ? '+' : ''}`}
    </span>
  )
}

function NamespacePicker({ namespaces }: { namespaces: readonly string[] }): ReactElement {
  const { get: read, set } = useAddress()
  const chosen = read('ns')
  const options = chosen !== '' && !namespaces.includes(chosen) ? [chosen, ...namespaces] : namespaces
  return (
    <label className="namespace">
      <span className="hidden">Namespace</span>
      <select value={chosen} onChange={event => set({ ns: event.target.value })}>
        <option value="">All namespaces</option>
        {options.map(name => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

const STALE_MS = 30_000

/** What the stream says of itself, as it is. */
function LiveChip(): ReactElement {
  const state = useLiveState()
  const mode = following.use()
  const now = useNow()
  const isPaused = mode === 'paused'
  let [tone, word, hint] = ['good', 'Live', 'New rows come in by themselves. Click to pause.']
  if (state.state === 'connecting') [tone, word, hint] = ['calm', 'Connecting', 'The live connection is being made.']
  else if (isPaused) [tone, word, hint] = ['held', 'Paused', 'New rows wait. Click to go on.']
  if (state.state === 'reconnecting') {
    const isStale = now - state.since > STALE_MS
    const left = Math.max(0, state.until - now)
    tone = isStale ? 'bad' : 'warn'
    word = isStale
      ? `Stale since ${clockTime(state.since)}`
      : `Reconnecting in ${formatDuration(Math.max(1000, left), 1)}`
    hint = 'The server does not answer. Click to try now.'
  }
  const onClick = () => {
    if (state.state === 'reconnecting') live.retry()
    else following.set(isPaused ? 'on' : 'paused')
  }
  return (
    <button type="button" className={`live ${tone}`} title={hint} onClick={onClick}>
      {isPaused ? <Icon name="pause" size={12} /> : <span className="pulse" />}
      <span>{word}</span>
    </button>
  )
}

function TimeSwitch(): ReactElement {
  const mode = timeMode.use()
  const next = timeMode.values[(timeMode.values.indexOf(mode) + 1) % timeMode.values.length] ?? 'relative'
  const names = { relative: 'Relative', local: 'Local', utc: 'UTC' }
  return (
    <button
      type="button"
      className="button quiet time-switch"
      title={`Times are ${names[mode].toLowerCase()}. Click for ${names[next].toLowerCase()}.`}
      onClick={() => timeMode.set(next)}
    >
      <Icon name="clock" size={14} />
      <span>{names[mode]}</span>
    </button>
  )
}

const darkSystem = matchMedia('(prefers-color-scheme: dark)')
const onSystem = (listener: () => void) => {
  darkSystem.addEventListener('change', listener)
  return () => darkSystem.removeEventListener('change', listener)
}

function ThemeSwitch(): ReactElement {
  const chosen = theme.use()
  const isSystemDark = useSyncExternalStore(onSystem, () => darkSystem.matches)
  const isDark = chosen === 'dark' || (chosen === 'system' && isSystemDark)
  return (
    <button
      type="button"
      className="button quiet icon-only"
      aria-label={isDark ? 'Light colours' : 'Dark colours'}
      title={isDark ? 'Light colours' : 'Dark colours'}
      onClick={() => theme.set(isDark ? 'light' : 'dark')}
    >
      <Icon name={isDark ? 'sun' : 'moon'} />
    </button>
  )
}
