import { type ReactElement, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { say } from '../announce.ts'
import type { ListName } from '../query.ts'
import { GIVEN_VIEWS, removeView, type SavedView, saveView, useSavedViews, viewPath } from '../saved-views.ts'
import { useAddress } from '../url.ts'
import { Icon } from './icon.tsx'

/** The views of a list: those that everybody has, those that were saved in this browser, and a place to save this one. */
export function ViewMenu({ of }: { of: ListName }): ReactElement {
  const saved = useSavedViews().filter(({ list }) => list === of)
  const given = GIVEN_VIEWS.filter(({ list }) => list === of)
  const { params } = useAddress()
  const [, navigate] = useLocation()
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const menu = useRef<HTMLDivElement>(null)
  const search = searchOf(params)
  const chosen = [...saved, ...given].find(view => searchOf(new URLSearchParams(view.search)) === search)

  useEffect(() => {
    if (!isOpen) return
    const onDown = (event: MouseEvent) => !menu.current?.contains(event.target as Node) && setOpen(false)
    document.addEventListener('mousedown', onDown)
    return () => document.removeEventListener('mousedown', onDown)
  }, [isOpen])

  const open = (view: SavedView) => {
    setOpen(false)
    navigate(viewPath(view, params.get('ns') ?? ''))
  }
  const save = () => {
    const title = name.trim()
    if (title === '') return
    saveView({ list: of, name: title, search })
    setName('')
    say(`View ${title} saved`)
  }
  return (
    <div
      ref={menu}
      className="view-menu"
      onKeyDown={event => {
        if (event.key !== 'Escape' || !isOpen) return
        event.stopPropagation()
        setOpen(false)
        menu.current?.querySelector('button')?.focus()
      }}
    >
      <button type="button" className="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {search !== '' && chosen ? chosen.name : 'Views'} <Icon name="down" size={12} />
      </button>
      {isOpen && (
        <div className="view-list">
          {[
            ['Saved in this browser', saved],
            ['For everybody', given],
          ].map(([title, views]) =>
            (views as readonly SavedView[]).length === 0 ? null : (
              <section key={title as string} aria-label={title as string}>
                <h2>{title as string}</h2>
                <ul>
                  {(views as readonly SavedView[]).map(view => (
                    <li key={view.name}>
                      <button
                        type="button"
                        className="view-choice"
                        aria-current={view === chosen ? 'true' : undefined}
                        onClick={() => open(view)}
                      >
                        {view.name}
                      </button>
                      {views === saved && (
                        <button
                          type="button"
                          className="button quiet icon-only"
                          aria-label={`Remove the view ${view.name}`}
                          onClick={() => removeView(view)}
                        >
                          <Icon name="close" size={12} />
                        </button>
                      )}
                    </li>
                  ))}
                </ul>
              </section>
            ),
          )}
          <form
            className="view-save"
            onSubmit={event => {
              event.preventDefault()
              save()
            }}
          >
            <input
              type="text"
              aria-label="Name of the view"
              placeholder={search === '' ? 'Filter first, then save' : 'Save this view as…'}
              value={name}
              maxLength={60}
              disabled={search === ''}
              onChange={event => setName(event.target.value)}
            />
            <button type="submit" className="button small" disabled={search === '' || name.trim() === ''}>
              Save
            </button>
          </form>
        </div>
      )}
    </div>
  )
}

/** What belongs to a view: filter and grouping, not the namespace that was picked. */
function searchOf(params: URLSearchParams): string {
  const kept = ['group', 'q'].flatMap(name => {
    const value = params.get(name)
    return value === null || value === '' ? [] : [[name, value]]
  })
  return new URLSearchParams(kept).toString()
}
