import type { ReactElement } from 'react'
import { copy } from '../clipboard.ts'
import { describeTime, formatDuration, formatSpan, useNow, useTimeText } from '../time.ts'

/** A moment as the switch says; hovering shows the other forms, a double click copies ISO. */
export function Time({ at }: { at: number }): ReactElement {
  const words = useTimeText(at)
  const iso = new Date(at).toISOString()
  return (
    <time
      dateTime={iso}
      // When it is wanted: the language's own form takes long to find, and a list has many.
      onPointerEnter={event => {
        event.currentTarget.title = describeTime(at, Date.now())
      }}
      onDoubleClick={() => void copy(iso, 'Time copied as ISO')}
    >
      {words}
    </time>
  )
}

export function Duration({ from, to }: { from: number | undefined; to: number | undefined }): ReactElement | null {
  if (from === undefined) return null
  if (to === undefined) return <Running from={from} />
  return <span className="number">{formatSpan(from, to)}</span>
}

/** How long something took that may not have happened at all. */
export function Spent({ span }: { span: { from: number; to: number | undefined } | undefined }): ReactElement {
  return span ? <Duration from={span.from} to={span.to} /> : <span className="faint">–</span>
}

function Running({ from }: { from: number }): ReactElement {
  const now = useNow()
  return <span className="number">{formatDuration(Math.max(0, now - from))}</span>
}
