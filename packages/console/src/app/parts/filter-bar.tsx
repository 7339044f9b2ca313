import { useQuery } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { ALIASES, FIELDS, type ListName, termsOf } from '../query.ts'
import { get } from '../request.ts'
import { useAddress } from '../url.ts'
import { Icon } from './icon.tsx'
import { ViewMenu } from './view-menu.tsx'

interface FilterBarProps {
  of: ListName
  value: string
  onChange(query: string): void
  /** What the server said against it. */
  problem?: string | undefined
  placeholder?: string
  /** It is not the filter of a list's own page. */
  withoutViews?: boolean
  children?: ReactNode
}

interface Suggestion {
  text: string
  about: string
}

/** The query as text, with completion of fields and of their values. Enter applies it; a field that does not exist is said
 *  before anything is asked. */
export function FilterBar({
  of,
  value,
  onChange,
  problem,
  placeholder,
  withoutViews,
  children,
}: FilterBarProps): ReactElement {
  const ns = useAddress().get('ns')
  const [text, setText] = useState(value)
  const [caret, setCaret] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  useEffect(() => setText(value), [value])
  // Also that of one further down than there is room for.
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, active])

  const unknown = unknownFields(of, text)
  const term = termsOf(text).find(({ from, to }) => caret >= from && caret <= to)
  const typed = term ? text.slice(term.from, caret).replace(/^-/, '') : ''
  const [, field, prefix] = /^([\w-]+):(?:.*,)?([^,]*)$/.exec(typed) ?? []
  const values = useQuery({
    queryKey: ['complete', of, field, prefix, ns],
    queryFn: ({ signal }) =>
      get<readonly { value: string; count: number }[]>('/complete', { field, prefix, ns, of: completable(of) }, signal),
    enabled: isOpen && field !== undefined && FIELDS[of].some(({ name }) => name === field),
    staleTime: 5000,
  })
  const suggestions = isOpen ? suggestionsFor(of, typed, field, prefix, values.data ?? []) : []

  const take = (suggestion: Suggestion) => {
    const from = term ? term.from + (term.isNegated ? 1 : 0) : caret
    const start = field === undefined ? from : caret - (prefix?.length ?? 0)
    const next = text.slice(0, start) + suggestion.text + text.slice(caret)
    const at = start + suggestion.text.length
    setText(next)
    setActive(-1)
    if (field !== undefined) apply(next)
    requestAnimationFrame(() => {
      input.current?.setSelectionRange(at, at)
      setCaret(at)
    })
  }
  const apply = (next: string) => {
    setOpen(false)
    if (unknownFields(of, next).length === 0 && next.trim() !== value) onChange(next.trim())
  }

  return (
    <div className="filter-bar">
      <div className="filter-box">
        <Icon name="search" size={14} />
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-label={`Filter ${of}`}
          aria-expanded={suggestions.length > 0}
          aria-controls={id}
          aria-autocomplete="list"
          aria-invalid={unknown.length > 0 || problem !== undefined}
          {...(active >= 0 && { 'aria-activedescendant': `${id}-${active}` })}
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholder ?? 'Filter: status:failed source:mem* age:<1h "text"'}
          value={text}
          onChange={event => {
            setText(event.target.value)
            setCaret(event.target.selectionStart ?? event.target.value.length)
            setOpen(true)
            setActive(-1)
          }}
          onFocus={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onSelect={event => setCaret(event.currentTarget.selectionStart ?? 0)}
          onKeyDown={event => {
            if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
              event.preventDefault()
              setOpen(true)
              const step = event.key === 'ArrowDown' ? 1 : -1
              setActive(before => Math.max(-1, Math.min(suggestions.length - 1, before + step)))
            } else if (event.key === 'Enter') {
              const chosen = suggestions[active]
              if (chosen) take(chosen)
              else apply(text)
            } else if (event.key === 'Tab' && suggestions[Math.max(0, active)] && typed !== '' && active >= 0) {
              event.preventDefault()
              take(suggestions[active] as Suggestion)
            } else if (event.key === 'Escape') {
              event.stopPropagation()
              if (isOpen && suggestions.length > 0) setOpen(false)
              else input.current?.blur()
            }
          }}
        />
        {text !== '' && (
          <button
            type="button"
            className="clear"
            aria-label="Clear the filter"
            onClick={() => {
              setText('')
              onChange('')
            }}
          >
            <Icon name="close" size={12} />
          </button>
        )}
        {suggestions.length > 0 && (
          <div id={id} role="listbox" className="suggestions" aria-label="Completions">
            {suggestions.map((suggestion, i) => (
              <div
                key={suggestion.text}
                id={`${id}-${i}`}
                role="option"
                tabIndex={-1}
                aria-selected={i === active}
                className="suggestion"
                onMouseDown={event => {
                  event.preventDefault()
                  take(suggestion)
                }}
              >
                <code>{suggestion.text}</code>
                <span>{suggestion.about}</span>
              </div>
            ))}
          </div>
        )}
      </div>
      {!withoutViews && HAS_VIEWS.has(of) && <ViewMenu of={of} />}
      {children}
      {(unknown.length > 0 || problem !== undefined) && (
        <div className="filter-error" role="alert">
          {unknown.length > 0
            ? `There is no field “${unknown[0]}” here. Fields: ${FIELDS[of].map(({ name }) => name).join(', ')}`
            : problem}
        </div>
      )}
    </div>
  )
}

const HAS_VIEWS = new Set<ListName>(['events', 'runs', 'objects', 'parked', 'audit'])

const completable = (of: ListName) => (of === 'runs' || of === 'objects' ? of : 'events')

/** Fields that this list does not have; payload fields (`data.…`) are any. */
export function unknownFields(of: ListName, query: string): string[] {
  const known = new Set([...ALIASES, ...FIELDS[of].map(({ name }) => name)])
  return termsOf(query).flatMap(({ field }) =>
    field === undefined ||
    known.has(field.toLowerCase()) ||
    (field.includes('.') && known.has(`${field.split('.')[0]}.`))
      ? []
      : [field],
  )
}

function suggestionsFor(
  of: ListName,
  typed: string,
  field: string | undefined,
  prefix: string | undefined,
  values: readonly { value: string; count: number }[],
): Suggestion[] {
  if (field !== undefined) {
    const fixed = FIELDS[of].find(({ name }) => name === field)?.values ?? []
    // Those that are always there come first, in the order that their list has.
    const known = new Set(fixed.filter(value => value.startsWith(prefix ?? '')))
    for (const { value } of values) known.add(value)
    return [...known].slice(0, 12).map(text => ({ text: /[\s",]/.test(text) ? `"${text}"` : text, about: '' }))
  }
  return FIELDS[of]
    .filter(({ name }) => name.startsWith(typed) && name !== typed)
    .slice(0, 14)
    .map(({ name, about }) => ({ text: name.endsWith('.') ? name : `${name}:`, about }))
}
