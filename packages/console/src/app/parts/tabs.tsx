import { type KeyboardEvent, type ReactElement, type ReactNode, useEffect, useId, useRef } from 'react'

export interface Tab {
  id: string
  name: string
  count?: number | undefined
  content(): ReactNode
}

interface TabsProps {
  label: string
  tabs: readonly Tab[]
  chosen: string
  onChoose(id: string): void
}

/** Tabs as the practices for accessible pages want them: one stop, arrows inside. */
export function Tabs({ label, tabs, chosen, onChoose }: TabsProps): ReactElement {
  const id = useId()
  const active = tabs.find(tab => tab.id === chosen) ?? tabs[0]
  // Where there is no room for all of them, the chosen one is in sight; nothing but the tabs moves.
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const [box, tab] = [list.current, list.current?.querySelector<HTMLElement>('[aria-selected=true]')]
    if (!box || !tab) return
    if (tab.offsetLeft + tab.offsetWidth > box.scrollLeft + box.clientWidth || tab.offsetLeft < box.scrollLeft)
      box.scrollLeft = tab.offsetLeft - (box.clientWidth - tab.offsetWidth) / 2
  }, [active?.id, tabs.length])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0 || !active) return
    event.preventDefault()
    const next = tabs[(tabs.indexOf(active) + step + tabs.length) % tabs.length]
    if (!next) return
    onChoose(next.id)
    document.getElementById(`${id}-${next.id}`)?.focus()
  }
  return (
    <div className="tabs">
      <div ref={list} role="tablist" aria-label={label} className="tab-list" onKeyDown={onKeyDown}>
        {tabs.map(tab => (
          <button
            key={tab.id}
            id={`${id}-${tab.id}`}
            type="button"
            role="tab"
            aria-selected={tab === active}
            aria-controls={`${id}-panel`}
            tabIndex={tab === active ? 0 : -1}
            className="tab"
            onClick={() => onChoose(tab.id)}
          >
            {tab.name}
            {tab.count !== undefined && <span className="tab-count">{tab.count}</span>}
          </button>
        ))}
      </div>
      {active && (
        <div
          id={`${id}-panel`}
          role="tabpanel"
          aria-labelledby={`${id}-${active.id}`}
          className="tab-panel"
          tabIndex={0}
        >
          {active.content()}
        </div>
      )}
    </div>
  )
}
