import type { ReactElement } from 'react'
import { shortcuts } from '../preference.ts'
import { Dialog } from './dialog.tsx'

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['Ctrl K', 'Search, paste an id, run a command'],
  ['/', 'Filter'],
  ['j  k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['Esc', 'Back; close'],
  ['[  ]', 'Previous and next failure'],
  ['J  K', 'Next and previous item, inside one'],
  ['f', 'Filter by a cell of the row'],
  ['x', 'Select the row'],
  ['Ctrl Home, Ctrl End', 'First and last row'],
  ['g, then o e r b p h t', 'Overview, events, runs, objects, parked, health, templates'],
  ['?', 'This help'],
]

export function ShortcutHelp({ onClose }: { onClose(): void }): ReactElement {
  const mode = shortcuts.use()
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl className="keys">
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label className="check">
        <input
          type="checkbox"
          checked={mode === 'on'}
          onChange={event => shortcuts.set(event.target.checked ? 'on' : 'off')}
        />
        Single keys work outside of lists
      </label>
    </Dialog>
  )
}
