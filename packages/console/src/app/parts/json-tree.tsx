import { type ReactElement, useState } from 'react'
import { copy } from '../clipboard.ts'
import { Icon } from './icon.tsx'

/** A payload as a tree. Everything is text: nothing in it is ever taken for markup. */
export function JsonTree({ value, openTo = 2 }: { value: unknown; openTo?: number }): ReactElement {
  return (
    <ul className="json">
      <JsonNode name={undefined} value={value} path="" depth={0} openTo={openTo} />
    </ul>
  )
}

interface JsonNodeProps {
  name: string | undefined
  value: unknown
  path: string
  depth: number
  openTo: number
}

const MOST_SHOWN = 200
const LONGEST_TEXT = 2000

function JsonNode({ name, value, path, depth, openTo }: JsonNodeProps): ReactElement {
  const [isOpen, setOpen] = useState(depth < openTo)
  const [isWhole, setWhole] = useState(false)
  const label = name === undefined ? null : <span className="json-name">{name}</span>
  const copyButton = path !== '' && (
    <button
      type="button"
      className="json-copy"
      title={`Copy the path ${path}`}
      aria-label={`Copy the path ${path}`}
      onClick={() => void copy(path, 'Path copied')}
    >
      <Icon name="copy" size={11} />
    </button>
  )
  if (typeof value !== 'object' || value === null) {
    return (
      <li>
        <span className="json-line">
          {label}
          <JsonValue value={value} />
          {copyButton}
        </span>
      </li>
    )
  }
  const isList = Array.isArray(value)
  const entries = Object.entries(value)
  const shown = isWhole ? entries : entries.slice(0, MOST_SHOWN)
  const size = isList
    ? `${entries.length} item${entries.length === 1 ? '' : 's'}`
    : `${entries.length} field${entries.length === 1 ? '' : 's'}`
  return (
    <li>
      <span className="json-line">
        <button type="button" className="json-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name={isOpen ? 'down' : 'right'} size={11} />
          {label ?? <span className="json-name root">{isList ? 'list' : 'object'}</span>}
          {!isOpen && <span className="json-size">{size}</span>}
        </button>
        {copyButton}
      </span>
      {isOpen && (
        <ul>
          {shown.map(([key, child]) => (
            <JsonNode
              key={key}
              name={key}
              value={child}
              path={isList ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`}
              depth={depth + 1}
              openTo={openTo}
            />
          ))}
          {entries.length > shown.length && (
            <li>
              <button type="button" className="button small" onClick={() => setWhole(true)}>
                Show {entries.length - shown.length} more
              </button>
            </li>
          )}
        </ul>
      )}
    </li>
  )
}

function JsonValue({ value }: { value: unknown }): ReactElement {
  const [isWhole, setWhole] = useState(false)
  if (typeof value !== 'string')
    return <span className={`json-${value === null ? 'null' : typeof value}`}>{String(value)}</span>
  const isCut = value.length > LONGEST_TEXT && !isWhole
  return (
    <span className="json-string">
      {JSON.stringify(isCut ? value.slice(0, LONGEST_TEXT) : value)}
      {isCut && (
        <button type="button" className="button small" onClick={() => setWhole(true)}>
          Show all {value.length.toLocaleString('en')} characters
        </button>
      )}
    </span>
  )
}
