import { type RefObject, useEffect, useLayoutEffect } from 'react'

/** Where the reader was when they left an entry of the browser's history. It is kept in the entry itself: boxes of ours scroll,
 *  not the document, so the browser does not remember it. */
export interface Place {
  /** How far the page was scrolled. */
  top?: number
  /** How far its list was. */
  listTop?: number
  /** The row that was opened, and where it stood. */
  row?: string | undefined
  index?: number | undefined
}

export const placeLeft = (): Place => (history.state as Place | null) ?? {}

export function rememberPlace(place: Place): void {
  history.replaceState({ ...placeLeft(), ...place }, '')
}

/** What may lead elsewhere. */
const ACTS = ['pointerdown', 'keydown'] as const
/** The reader scrolls, or is about to. */
const SIGNS = ['wheel', 'touchstart', ...ACTS] as const
/** Browsers take only so many changes of an entry a second. */
const SETTLED_MS = 150
/** A page that is still not as tall as it was has changed. */
const PATIENCE_MS = 3000

/** Calls back when a box has come to rest after a scroll, and before anything is done there. */
export function useScrollEnd(box: RefObject<HTMLElement | null>, onEnd: (top: number) => void, key: unknown): void {
  useEffect(() => {
    const element = box.current
    if (!element) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const onScroll = () => {
      clearTimeout(timer)
      timer = setTimeout(end, SETTLED_MS)
    }
    const end = () => {
      if (timer === undefined) return
      clearTimeout(timer)
      timer = undefined
      onEnd(element.scrollTop)
    }
    element.addEventListener('scroll', onScroll, { passive: true })
    for (const act of ACTS) window.addEventListener(act, end, { capture: true })
    return () => {
      clearTimeout(timer)
      element.removeEventListener('scroll', onScroll)
      for (const act of ACTS) window.removeEventListener(act, end, { capture: true })
    }
  }, [box, key])
}

const rememberTop = (top: number) => rememberPlace({ top })

/** A page that is opened begins at its top; one that is come back to is where it was left, as soon as it is tall enough. */
export function useScrollPlace(box: RefObject<HTMLElement | null>, path: string): void {
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const { top = 0 } = placeLeft()
    const restore = () => {
      element.scrollTop = top
      if (Math.abs(element.scrollTop - top) < 2) end()
    }
    const observer = new MutationObserver(restore)
    const timer = setTimeout(() => end(), PATIENCE_MS)
    const end = () => {
      observer.disconnect()
      clearTimeout(timer)
      for (const sign of SIGNS) element.removeEventListener(sign, end)
    }
    observer.observe(element, { childList: true, subtree: true })
    for (const sign of SIGNS) element.addEventListener(sign, end, { passive: true })
    restore()
    return end
  }, [box, path])
  useScrollEnd(box, rememberTop, path)
}
