import {
  type CSSProperties,
  type KeyboardEvent,
  memo,
  type ReactElement,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { useLocation } from 'wouter'
import { say } from '../announce.ts'
import type { ListStore } from '../live/list-store.ts'
import { placeLeft, rememberPlace, useScrollEnd } from '../scroll-place.ts'
import { Icon } from './icon.tsx'

export interface Column<T> {
  name: string
  /** A track of a CSS grid. */
  width: string
  /** Below this width of the list the column is left out. */
  from?: number
  cell(item: T): ReactNode
  /** What filtering by this cell means: a field and its value. */
  filter?(item: T): readonly [field: string, value: string] | undefined
}

interface WindowListProps<T extends object> {
  label: string
  store: ListStore<T>
  columns: readonly Column<T>[]
  keyOf(item: T): string
  hrefOf(item: T): string
  /** `]` and `[` go to the next and the last of these. */
  isFailure?(item: T): boolean
  onFilter?(field: string, value: string, isNegated: boolean): void
  selection?: { keys: ReadonlySet<string>; toggle(item: T): void }
}

const ROW = 34
/** Rows that exist above and below those to be seen. */
const BEYOND = 8
/** The rows that exist change in steps, so that most of the frames of a scroll render nothing. */
const STEP = 4
/** Rows that are read before they are to be seen. */
const AHEAD = 100
const POINTING_MS = 300
/** As tall as browsers make an element. */
const TALLEST = 33_000_000

/** A table of any length, of which only the rows to be seen exist. Fixed row heights; keys and screen readers work as in a
 *  table that is all there. */
export function WindowList<T extends object>(props: WindowListProps<T>): ReactElement {
  const { label, store, columns, keyOf, hrefOf, isFailure, onFilter, selection } = props
  useSyncExternalStore(store.subscribe, () => store.version)
  const scroller = useRef<HTMLDivElement>(null)
  const wanted = useRef<number | undefined>(undefined)
  const pointing = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [size, setSize] = useState({ height: 600, width: 1200, bar: 0 })
  /** The first row to be seen, rounded down to a step. */
  const [start, setStart] = useState(0)
  const [current, setCurrent] = useState(0)
  const [menu, setMenu] = useState<FilterMenu<T>>()
  const [, navigate] = useLocation()
  const total = Math.min(store.total, Math.floor(TALLEST / ROW))
  const visible = useMemo(() => columns.filter(({ from = 0 }) => size.width >= from), [columns, size.width])
  const tracks = `${selection ? '34px ' : ''}${visible.map(({ width }) => width).join(' ')}`
  const first = Math.max(0, start - BEYOND)
  const last = Math.min(total - 1, start + STEP + Math.ceil(size.height / ROW) + BEYOND)

  useEffect(() => store.ensure(Math.max(0, first - AHEAD), last + AHEAD), [store, first, last])

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const measure = () =>
      setSize({
        height: element.clientHeight,
        width: element.clientWidth,
        bar: element.offsetWidth - element.clientWidth,
      })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const onScroll = useCallback(() => {
    const top = scroller.current?.scrollTop ?? 0
    store.isAtTop = top < 2
    setStart(Math.floor(top / ROW / STEP) * STEP)
    setMenu(undefined)
  }, [store])

  // A row far away is drawn empty, read, and drawn again: it has the focus when it is there for good.
  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    const row = scroller.current?.querySelector<HTMLElement>(`[aria-rowindex="${wanted.current + 2}"]`)
    if (row && document.activeElement !== row) row.focus({ preventScroll: true })
    if (row && store.at(wanted.current)) wanted.current = undefined
  })

  const focusRow = useCallback((index: number) => {
    const element = scroller.current
    if (!element) return
    const top = index * ROW
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + ROW > element.scrollTop + element.clientHeight) element.scrollTop = top + ROW - element.clientHeight
    wanted.current = index
    setCurrent(index)
  }, [])

  // Whoever comes back finds the list as they left it, at the row that they opened. One far down is read first, and may have
  // moved since then.
  const isReady = store.state === 'ready'
  const sought = useRef<string>(undefined)
  useEffect(() => {
    if (!isReady || !scroller.current) return
    const { row, index, listTop } = placeLeft()
    if (listTop !== undefined) scroller.current.scrollTop = listTop
    if (row === undefined) return
    const found = store.indexOf(row)
    if (found < 0) sought.current = row
    if (found >= 0) focusRow(found)
    else if (index !== undefined && index < store.total) focusRow(index)
  }, [isReady, store, focusRow])
  useEffect(() => {
    const found = sought.current === undefined ? -1 : store.indexOf(sought.current)
    if (found < 0) return
    sought.current = undefined
    focusRow(found)
  })
  useScrollEnd(
    scroller,
    listTop => {
      const { index = -1 } = placeLeft()
      const isInSight = index * ROW > listTop - ROW && index * ROW < listTop + (scroller.current?.clientHeight ?? 0)
      rememberPlace({ listTop, ...(!isInSight && { row: undefined, index: undefined }) })
    },
    store,
  )

  const open = (item: T) => {
    rememberPlace({
      row: keyOf(item),
      index: store.indexOf(keyOf(item)),
      listTop: scroller.current?.scrollTop ?? 0,
    })
    navigate(hrefOf(item))
  }
  const latest = useRef<RowActions<T>>(undefined)
  latest.current = {
    open,
    focus: setCurrent,
    toggle: item => selection?.toggle(item),
    point(item, column, box) {
      clearTimeout(pointing.current)
      // Below the cell, and not at once: what is pointed at stays free to be clicked.
      const isShown = item && onFilter && column.filter?.(item) !== undefined
      const place = { x: box.right, y: box.bottom }
      pointing.current = setTimeout(
        () => setMenu(isShown ? { item, column, ...place, isWhole: false } : undefined),
        POINTING_MS,
      )
    },
  }
  // The same for ever, so that a row is rendered when its item changes and for no other reason.
  const [actions] = useState<RowActions<T>>(() => ({
    open: item => latest.current?.open(item),
    focus: index => latest.current?.focus(index),
    toggle: item => latest.current?.toggle(item),
    point: (item, column, box) => latest.current?.point(item, column, box),
  }))

  const nextFailure = (from: number, step: 1 | -1): number => {
    for (let index = from + step; index >= 0 && index < total; index += step) {
      const item = store.at(index)
      if (item && isFailure?.(item)) return index
      if (!item) break
    }
    say(step === 1 ? 'No failure below among the rows that were read' : 'No failure above')
    return from
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey || (event.target as HTMLElement).closest('input,select,textarea')) return
    const page = Math.max(1, Math.floor(size.height / ROW) - 1)
    const targets: Readonly<Record<string, () => number>> = {
      ArrowDown: () => current + 1,
      ArrowUp: () => current - 1,
      j: () => current + 1,
      k: () => current - 1,
      PageDown: () => current + page,
      PageUp: () => current - page,
      Home: () => 0,
      End: () => total - 1,
      ']': () => nextFailure(current, 1),
      '[': () => nextFailure(current, -1),
    }
    const target = targets[event.key]
    const item = store.at(current)
    if (target && (!event.ctrlKey || event.key === 'Home' || event.key === 'End')) {
      event.preventDefault()
      event.stopPropagation()
      if (total > 0) focusRow(Math.max(0, Math.min(total - 1, target())))
    } else if (event.key === 'Enter' && item && (event.target as HTMLElement).getAttribute('role') === 'row') {
      event.preventDefault()
      open(item)
    } else if (event.key === 'x' && item && selection) {
      selection.toggle(item)
    } else if (event.key === 'f' && item && onFilter) {
      event.preventDefault()
      const row = scroller.current?.querySelector(`[aria-rowindex="${current + 2}"]`)
      const box = row?.getBoundingClientRect()
      if (box) setMenu({ item, x: box.left + 16, y: box.bottom, isWhole: true })
    }
  }

  const rows: ReactElement[] = []
  for (let index = first; index <= last; index++) {
    const item = store.at(index)
    const key = item && keyOf(item)
    rows.push(
      <Row
        key={key ?? `empty-${index}`}
        item={item}
        index={index}
        columns={visible}
        href={item && hrefOf(item)}
        isCurrent={index === current}
        isFailing={item !== undefined && isFailure?.(item) === true}
        isPicked={selection && key !== undefined ? selection.keys.has(key) : undefined}
        hasPick={selection !== undefined}
        actions={actions}
      />,
    )
  }

  return (
    <div
      className="window-list"
      onMouseLeave={() => {
        clearTimeout(pointing.current)
        setMenu(before => (before?.isWhole ? before : undefined))
      }}
    >
      <div
        role="table"
        aria-label={label}
        aria-rowcount={store.isExact ? store.total + 1 : -1}
        className="table"
        style={{ '--tracks': tracks } as CSSProperties}
        onKeyDown={onKeyDown}
      >
        <div role="rowgroup" style={{ paddingInlineEnd: size.bar }}>
          <div role="row" aria-rowindex={1} className="row head">
            {selection && (
              <span role="columnheader" className="cell pick">
                <span className="hidden">Selected</span>
              </span>
            )}
            {visible.map(({ name }) => (
              <span key={name} role="columnheader" className="cell">
                {name}
              </span>
            ))}
          </div>
        </div>
        <div ref={scroller} role="rowgroup" className="scroller" onScroll={onScroll} tabIndex={-1}>
          <div className="expanse" style={{ height: total * ROW }}>
            {rows}
          </div>
        </div>
      </div>
      {store.fresh > 0 && (
        <button
          type="button"
          className="fresh"
          onClick={() => {
            if (scroller.current) scroller.current.scrollTop = 0
            store.merge()
          }}
        >
          ↑ {store.fresh.toLocaleString('en')} new
        </button>
      )}
      {menu && onFilter && (
        <FilterButtons
          menu={menu}
          columns={visible}
          onFilter={onFilter}
          onReach={() => clearTimeout(pointing.current)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </div>
  )
}

/** What can be done with a row; the same object for the life of a list. */
interface RowActions<T> {
  open(item: T): void
  focus(index: number): void
  toggle(item: T): void
  /** The pointer is on a cell. */
  point(item: T | undefined, column: Column<T>, box: DOMRect): void
}

interface RowProps<T> {
  /** Undefined while it is read. */
  item: T | undefined
  index: number
  columns: readonly Column<T>[]
  href: string | undefined
  isCurrent: boolean
  isFailing: boolean
  isPicked: boolean | undefined
  hasPick: boolean
  actions: RowActions<T>
}

/** One row. It is rendered anew when something of its own has changed, not when the list scrolls or grows. */
const Row = memo(function Row({
  item,
  index,
  columns,
  href,
  isCurrent,
  isFailing,
  isPicked,
  hasPick,
  actions,
}: RowProps<object>): ReactElement {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      tabIndex={isCurrent ? 0 : -1}
      className={isFailing ? 'row failing' : 'row'}
      style={{ transform: `translateY(${index * ROW}px)` }}
      onFocus={() => actions.focus(index)}
      onClick={event => {
        if (item && !(event.target as HTMLElement).closest('a,button,input,time')) actions.open(item)
      }}
    >
      {hasPick && (
        <span role="cell" className="cell pick">
          {item && (
            <input
              type="checkbox"
              aria-label={`Select row ${index + 1}`}
              checked={isPicked === true}
              onChange={() => actions.toggle(item)}
            />
          )}
        </span>
      )}
      {columns.map((column, i) => (
        <span
          key={column.name}
          role="cell"
          className={classOf(column, item !== undefined)}
          onMouseEnter={event => actions.point(item, column, event.currentTarget.getBoundingClientRect())}
        >
          {item && href !== undefined && i === 0 ? (
            <RowLink href={href} onOpen={() => actions.open(item)}>
              {column.cell(item)}
            </RowLink>
          ) : (
            item && column.cell(item)
          )}
        </span>
      ))}
    </div>
  )
}) as <T extends object>(props: RowProps<T>) => ReactElement

/** Only what can be too narrow is cut: every cut costs each frame of a scroll. */
function classOf<T>({ width }: Column<T>, isThere: boolean): string {
  return `cell${width.startsWith('minmax') ? ' cut-off' : ''}${isThere ? '' : ' loading'}`
}

function RowLink({ href, onOpen, children }: { href: string; onOpen(): void; children: ReactNode }): ReactElement {
  return (
    <a
      href={href}
      tabIndex={-1}
      className="row-link"
      onClick={event => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        onOpen()
      }}
    >
      {children}
    </a>
  )
}

interface FilterMenu<T> {
  item: T
  column?: Column<T>
  x: number
  y: number
  /** By keyboard: every cell of the row. */
  isWhole: boolean
}

interface FilterButtonsProps<T> {
  menu: FilterMenu<T>
  columns: readonly Column<T>[]
  onFilter(field: string, value: string, isNegated: boolean): void
  onClose(): void
  /** The pointer is on it. */
  onReach(): void
}

/** "only" and "not" for the cell that is pointed at; one for the whole list, so that rows stay light. */
function FilterButtons<T>({ menu, columns, onFilter, onClose, onReach }: FilterButtonsProps<T>): ReactElement {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (menu.isWhole) box.current?.querySelector('button')?.focus()
  }, [menu])
  const filters = (menu.column ? [menu.column] : columns).flatMap(({ filter }) => {
    const found = filter?.(menu.item)
    return found ? [found] : []
  })
  const apply = (field: string, value: string, isNegated: boolean) => {
    onClose()
    onFilter(field, value, isNegated)
  }
  return (
    <div
      ref={box}
      onMouseEnter={onReach}
      className={menu.isWhole ? 'filter-menu whole' : 'filter-menu'}
      style={{ left: menu.x, top: menu.isWhole ? `min(${menu.y}px, 100dvh - ${filters.length * 26 + 50}px)` : menu.y }}
      onKeyDown={event => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        onClose()
      }}
    >
      {filters.map(([field, value]) => (
        <div key={field}>
          {menu.isWhole && <span className="filter-name">{`${field}:${value}`}</span>}
          <button type="button" title={`Only ${field}:${value}`} onClick={() => apply(field, value, false)}>
            only
          </button>
          <button type="button" title={`Not ${field}:${value}`} onClick={() => apply(field, value, true)}>
            not
          </button>
        </div>
      ))}
      {menu.isWhole && (
        <button type="button" className="filter-close" onClick={onClose} aria-label="Close">
          <Icon name="close" size={12} />
        </button>
      )}
    </div>
  )
}
