import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react'
import { Icon } from './icon.tsx'
import { Problem } from './page.tsx'

interface DialogProps {
  title: string
  onClose(): void
  children: ReactNode
  /** Stands at the right edge instead of in the middle. */
  isPanel?: boolean
}

const FIELDS = 'input:not([type=radio], [type=checkbox]), select, textarea'

/** A native dialog: traps the focus, closes with Escape, gives the focus back. */
export function Dialog({ title, onClose, children, isPanel = false }: DialogProps): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    const before = document.activeElement as HTMLElement | null
    element?.showModal()
    // The browser would take the button that closes it.
    element?.querySelector<HTMLElement>(FIELDS)?.focus()
    return () => {
      element?.close()
      before?.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      className={isPanel ? 'dialog panel' : 'dialog'}
      aria-label={title}
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
      onMouseDown={event => event.target === dialog.current && onClose()}
    >
      <div className="dialog-body">
        <header>
          <h2>{title}</h2>
          <button type="button" className="button quiet icon-only" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}

interface ConfirmProps {
  title: string
  /** What the button does: "Retry 3 deliveries". */
  verb: string
  /** What it will reach: counts, a sample, what runs again. */
  children: ReactNode
  /** The same on the command line. */
  cli?: string
  /** When it cannot be taken back or reaches far, this word must be typed. */
  typed?: string | undefined
  isDangerous?: boolean
  isDisabled?: boolean
  onConfirm(): Promise<unknown>
  onClose(): void
}

/** Says what will happen before it does. */
export function Confirm(props: ConfirmProps): ReactElement {
  const { title, verb, children, cli, typed, isDangerous = false, isDisabled = false, onConfirm, onClose } = props
  const [word, setWord] = useState('')
  const [error, setError] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const confirm = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await onConfirm()
      onClose()
    } catch (thrown) {
      setError(thrown as Error)
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="dialog-content">{children}</div>
      {cli !== undefined && (
        <pre className="dialog-cli">
          <code>{cli}</code>
        </pre>
      )}
      {typed !== undefined && (
        <label className="field">
          <span>
            Type <code>{typed}</code> to confirm
          </span>
          <input
            type="text"
            value={word}
            onChange={event => setWord(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </label>
      )}
      {error && <Problem error={error} />}
      <footer className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          className={isDangerous ? 'button danger' : 'button primary'}
          disabled={isBusy || isDisabled || (typed !== undefined && word !== typed)}
          onClick={() => void confirm()}
        >
          {isBusy ? 'Working…' : verb}
        </button>
      </footer>
    </Dialog>
  )
}
