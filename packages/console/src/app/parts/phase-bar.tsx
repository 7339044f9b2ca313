import type { ReactElement } from 'react'
import { toneOf } from './status.tsx'

interface PhaseBarProps {
  byPhase: Readonly<Record<string, number>>
  total: number
  /** `3/6`, where somebody has counted already: an attempt that was followed by another is one of the six, as everywhere else. */
  progress?: string | undefined
}

/** An attempt after which there was another is neither good nor bad. */
const toneOfStep = (phase: string) => (phase === 'Retried' ? 'calm' : toneOf(phase))

/** How many of how many are in which state, as one bar and in words. */
export function PhaseBar({ byPhase, total, progress }: PhaseBarProps): ReactElement {
  const parts = Object.entries(byPhase).filter(([, count]) => count > 0)
  const done = parts.filter(([phase]) => toneOf(phase) === 'good').reduce((sum, [, count]) => sum + count, 0)
  const words = parts.map(([phase, count]) => `${count} ${phase.toLowerCase()}`).join(', ')
  return (
    <span className="phase-bar" title={words}>
      <span className="phase-track" aria-hidden="true">
        {parts.map(([phase, count]) => (
          <span key={phase} className={toneOfStep(phase)} style={{ flexGrow: count }} />
        ))}
      </span>
      <span className="number">
        {progress ?? `${done}/${total}`}
        <span className="hidden"> ({words})</span>
      </span>
    </span>
  )
}
