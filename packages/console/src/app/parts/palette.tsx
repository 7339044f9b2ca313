import { useQuery } from '@tanstack/react-query'
import type { Hit } from '@tiphys/archive'
import { type ReactElement, useDeferredValue, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { say } from '../announce.ts'
import { following } from '../live/use-live.ts'
import { theme } from '../preference.ts'
import { get } from '../request.ts'
import { GIVEN_VIEWS, useSavedViews, viewPath } from '../saved-views.ts'
import { formatTime, timeMode } from '../time.ts'
import { eventPath, href, objectPath, runHref, useAddress } from '../url.ts'
import { Dialog } from './dialog.tsx'
import { Icon, type IconName } from './icon.tsx'

interface Choice {
  key: string
  icon: IconName
  title: string
  about: string
  run(): void
}

/** Takes any pasted id, name or address, and commands. */
export function Palette({ onClose, onHelp }: { onClose(): void; onHelp(): void }): ReactElement {
  const [text, setText] = useState('')
  // By its key: hits that come later push others down, and must not take their place under a finger on Enter.
  const [picked, setPicked] = useState<string>()
  const [, navigate] = useLocation()
  const ns = useAddress().get('ns')
  const views = useSavedViews()
  const [actions] = useState(pageActions)
  const sought = text.trim()
  // Only what is asked of the server may lag: Enter does what fits the text as it is, however fast it was typed.
  const asked = useDeferredValue(sought)
  const found = useQuery({
    queryKey: ['search', asked, ns],
    queryFn: ({ signal }) =>
      get<{ items: readonly Hit[] }>('/search', { text: searchText(asked), ns, limit: 40 }, signal),
    enabled: asked.length > 1 && !asked.includes('://'),
  })
  const go: Go =
    (to, params = {}) =>
    () =>
      navigate(href(to, params))
  const choices = [
    ...pasted(sought, navigate),
    ...[...actions, ...commands(go, onHelp)].filter(({ title }) => title.toLowerCase().includes(sought.toLowerCase())),
    ...[...views, ...GIVEN_VIEWS]
      .filter(({ name, list }) => sought !== '' && `${list} ${name}`.toLowerCase().includes(sought.toLowerCase()))
      .map(view => ({
        key: `view-${view.list}-${view.name}`,
        icon: 'search' as const,
        title: `${view.list[0]?.toUpperCase()}${view.list.slice(1)}: ${view.name}`,
        about: 'view',
        run: () => navigate(viewPath(view, ns)),
      })),
    ...distinct((asked === sought && found.data?.items) || []).map(hit => hitChoice(hit, navigate)),
    ...(sought.length > 1 ? searches(sought, ns, go) : []),
  ]
  const active = Math.max(
    0,
    choices.findIndex(({ key }) => key === picked),
  )
  // Also that of one further down than there is room for.
  useEffect(() => {
    document.getElementById(`palette-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [active])
  const choose = (choice: Choice | undefined) => {
    if (!choice) return
    onClose()
    // After the dialog has given the focus back.
    setTimeout(() => choice.run(), 0)
  }
  return (
    <Dialog title="Search and commands" onClose={onClose}>
      <input
        type="text"
        className="palette-input"
        role="combobox"
        aria-label="Search or command"
        aria-expanded="true"
        aria-controls="palette-choices"
        aria-activedescendant={choices[active] ? `palette-${active}` : undefined}
        placeholder="A name, an id, an address, words, or a command"
        value={text}
        onChange={event => {
          setText(event.target.value)
          setPicked(undefined)
        }}
        onKeyDown={event => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault()
            const step = event.key === 'ArrowDown' ? 1 : -1
            setPicked(choices[Math.max(0, Math.min(choices.length - 1, active + step))]?.key)
          } else if (event.key === 'Enter') choose(choices[active])
        }}
      />
      <div id="palette-choices" role="listbox" aria-label="Results" className="choices">
        {choices.map((choice, i) => (
          <div
            key={choice.key}
            id={`palette-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === active}
            className="choice"
            onMouseMove={() => setPicked(choice.key)}
            onClick={() => choose(choice)}
            onKeyDown={() => {}}
          >
            <Icon name={choice.icon} size={14} />
            <span className="choice-title">{choice.title}</span>
            <span className="choice-about">{choice.about}</span>
          </div>
        ))}
      </div>
    </Dialog>
  )
}

/** What the buttons at the head of the page do, as long as they may. */
function pageActions(): Choice[] {
  return pageButtons().map(({ title }, i) => ({
    key: `action-${i}`,
    icon: 'play',
    title,
    about: `on this page: ${document.querySelector('h1')?.textContent ?? ''}`,
    // Sought again: the page may have been painted anew behind the palette.
    run: () =>
      pageButtons()
        .find(now => now.title === title)
        ?.button.click(),
  }))
}

function pageButtons(): { button: HTMLButtonElement; title: string }[] {
  const buttons = document.querySelectorAll<HTMLButtonElement>('.page-head .actions button:not([aria-disabled=true])')
  return [...buttons].map(button => ({ button, title: button.textContent?.trim() ?? '' }))
}

/** The whole of what is found: of the namespace that is picked, and of all. */
function searches(text: string, ns: string, go: Go): Choice[] {
  const choice = (key: string, place: string, params: Record<string, string> = {}): Choice => ({
    key,
    icon: 'search',
    title: `Search ${place} for “${text}”`,
    about: 'names, payloads, messages, logs',
    run: go('/search', { text, ...params }),
  })
  return ns === ''
    ? [choice('full', 'everything')]
    : [choice('full', ns), choice('wider', 'all namespaces', { ns: '' })]
}

const MOST_HITS = 8

/** Every place once, however often it was recorded; the groups between steps are shown nowhere. */
function distinct(hits: readonly Hit[]): readonly Hit[] {
  const places = new Map<string, Hit>()
  for (const hit of hits) {
    const place = hitPath(hit)
    if (!places.has(place) && !(hit.type === 'step' && /\[\d+\]$/.test(hit.title))) places.set(place, hit)
  }
  return [...places.values()].slice(0, MOST_HITS)
}

/** Quotes what the full text would take for something else. */
const searchText = (text: string) => (/^[\w\s.-]+$/.test(text) ? `${text}*` : `"${text.replaceAll('"', ' ')}"`)

/** An id, `namespace/name`, or an address of this console goes straight there. */
function pasted(text: string, navigate: (to: string) => void): Choice[] {
  const address = /^https?:\/\/[^/]+(\/[^#]*)(#.*)?$/.exec(text)
  if (address && !text.includes('token=')) {
    const to = `${address[1]}${address[2] ?? ''}`
    return [{ key: 'address', icon: 'link', title: to, about: 'open this address', run: () => navigate(to) }]
  }
  if (/^[0-9a-f]{32}$/.test(text))
    return [
      { key: 'id', icon: 'events', title: `Event ${text}`, about: 'open', run: () => navigate(href(eventPath(text))) },
    ]
  const run = /^([a-z0-9-]+)\/([a-z0-9.-]+)$/.exec(text)
  if (run)
    return [
      {
        key: 'run',
        icon: 'runs',
        title: `Run ${text}`,
        about: 'open',
        run: () => navigate(runHref({ namespace: run[1] as string, name: run[2] as string })),
      },
    ]
  return []
}

type Go = (to: string, params?: Record<string, string>) => () => void

function commands(go: Go, onHelp: () => void): Choice[] {
  const pages: [IconName, string, string][] = [
    ['overview', 'Overview', '/'],
    ['events', 'Events', '/events'],
    ['runs', 'Runs', '/runs'],
    ['objects', 'Objects', '/objects'],
    ['parked', 'Parked deliveries', '/parked'],
    ['health', 'Health', '/health'],
    ['templates', 'Templates', '/templates'],
    ['operators', 'Operators', '/operators'],
    ['replay', 'Replay events', '/replay'],
    ['audit', 'Audit', '/audit'],
    ['access', 'What may I do?', '/access'],
  ]
  return [
    ...pages.map(([icon, title, to]) => ({ key: to, icon, title, about: 'page', run: go(to) })),
    {
      key: 'failed',
      icon: 'runs',
      title: 'Failed runs of the last hour',
      about: 'list',
      run: go('/runs', { q: 'status:failed age:<1h' }),
    },
    {
      key: 'pause',
      icon: 'pause',
      title: following.get() === 'on' ? 'Pause live rows' : 'Go on with live rows',
      about: 'command',
      run: () => following.set(following.get() === 'on' ? 'paused' : 'on'),
    },
    {
      key: 'theme',
      icon: 'sun',
      title: 'Change colours: system, light, dark',
      about: 'command',
      run: () => {
        const next = theme.values[(theme.values.indexOf(theme.get()) + 1) % theme.values.length] ?? 'system'
        theme.set(next)
        say(`Colours: ${next}`)
      },
    },
    {
      key: 'time',
      icon: 'clock',
      title: 'Change times: relative, local, UTC',
      about: 'command',
      run: () =>
        timeMode.set(timeMode.values[(timeMode.values.indexOf(timeMode.get()) + 1) % timeMode.values.length] ?? 'utc'),
    },
    { key: 'help', icon: 'terminal', title: 'Keyboard shortcuts', about: 'command', run: onHelp },
  ]
}

function hitChoice(hit: Hit, navigate: (to: string) => void): Choice {
  const place = hitPath(hit)
  const icons: Partial<Record<Hit['type'], IconName>> = {
    run: 'runs',
    step: 'runs',
    log: 'terminal',
    write: 'objects',
    health: 'health',
    audit: 'audit',
  }
  return {
    key: `hit-${place}`,
    icon: icons[hit.type] ?? 'events',
    title: hit.title,
    // Of a log the line is what is looked for; of the rest the name says more than a piece of the record.
    // Two of one name are told apart by their time.
    about:
      hit.type === 'log' ? hit.excerpt.slice(0, 90) : `${hit.type}, ${formatTime(hit.at, timeMode.get(), Date.now())}`,
    run: () => navigate(place),
  }
}

export function hitPath(hit: Hit): string {
  if (hit.run && hit.line !== undefined && hit.step !== undefined)
    return `${runHref(hit.run, { step: hit.step, container: hit.container })}#L${hit.line}`
  if (hit.run) return runHref(hit.run, { step: hit.step })
  if (hit.type === 'write' || hit.type === 'health')
    return hit.object ? href(objectPath(hit.object)) : href(eventPath(hit.trace))
  const event = hit.event ?? hit.trace
  // What was done to no event in particular is among what people did.
  return event === '' ? href('/audit') : href(eventPath(event))
}
