import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { useLocation } from 'wouter'
import { say } from '../announce.ts'
import { fireLine } from '../command-line.ts'
import { indentedJson } from '../json-text.ts'
import { get, postJson } from '../request.ts'
import { eventPath, href } from '../url.ts'
import { Confirm } from './dialog.tsx'

interface FireDialogProps {
  ns: string
  /** What the payload starts as: JSON. */
  payload?: string
  source?: { namespace: string; name: string; part: string }
  onClose(): void
  onSent?(): Promise<unknown>
}

interface Manifest {
  kind: string
  metadata: { namespace?: string; name: string }
  spec?: Record<string, unknown>
}

/** What the recorder leaves where something must not be kept. */
const MASKED = '(masked)'
const NOT_ENTRIES = new Set(['eventBusName', 'template', 'service', 'replicas'])

/** Sends an event as if its source had made it. */
export function FireDialog({ ns, payload = '{}', source, onClose, onSent }: FireDialogProps): ReactElement {
  const [, navigate] = useLocation()
  const [chosen, setChosen] = useState(source ? `${source.namespace}/${source.name}/${source.part}` : '')
  const [text, setText] = useState(indentedJson(payload))
  const sources = useQuery({
    queryKey: ['pipeline', ns],
    queryFn: ({ signal }) => get<{ items: readonly Manifest[] }>('/pipeline', { ns }, signal),
  })
  const entries = (sources.data?.items ?? [])
    .filter(({ kind }) => kind === 'EventSource')
    .flatMap(({ metadata, spec = {} }) =>
      Object.entries(spec)
        .filter(([type, value]) => !NOT_ENTRIES.has(type) && typeof value === 'object' && value !== null)
        .flatMap(([, value]) => Object.keys(value as object))
        .map(entry => `${metadata.namespace}/${metadata.name}/${entry}`),
    )
  const options = source && !entries.includes(chosen) ? [chosen, ...entries] : entries
  const isObject = isJsonObject(text)
  // Sent like that, the mark would be taken for the value.
  const isMasked = source !== undefined && text.includes(MASKED)
  const [namespace = '', name = '', entry = ''] = (chosen || (options[0] ?? '')).split('/')
  return (
    <Confirm
      title={source ? 'Edit and send again' : 'Send a test event'}
      verb="Send"
      isDisabled={entry === '' || !isObject || isMasked}
      cli={fireLine(namespace, name, entry)}
      onConfirm={async () => {
        const target = JSON.stringify({ namespace, source: name, entry })
        const { id } = await postJson<{ id: string }>('/actions/fire', `${target.slice(0, -1)},"payload":${text}}`)
        await onSent?.()
        say('Event sent')
        navigate(href(eventPath(id)))
      }}
      onClose={onClose}
    >
      <label className="field">
        <span>Source and entry</span>
        <select value={chosen || options[0]} onChange={event => setChosen(event.target.value)}>
          {options.map(option => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>Payload (JSON)</span>
        <textarea
          rows={12}
          spellCheck={false}
          className="mono"
          value={text}
          onChange={event => setText(event.target.value)}
        />
      </label>
      {!isObject && <p className="bad-text">This is not a JSON object yet.</p>}
      {isMasked && (
        <p className="bad-text">
          Where it says {MASKED} a secret was left out of the archive. Write what belongs there before it is sent.
        </p>
      )}
    </Confirm>
  )
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
