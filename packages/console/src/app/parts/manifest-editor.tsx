import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import type { LintFinding } from '../../api/workshop.ts'
import { useSession } from '../access.tsx'
import { copy } from '../clipboard.ts'
import { post } from '../request.ts'
import { Icon } from './icon.tsx'
import { Problem } from './page.tsx'
import { Status } from './status.tsx'
import { Yaml } from './yaml-view.tsx'

interface ManifestEditorProps {
  /** As the cluster has it. */
  yaml: string
  namespace: string
  /** The file that the command line would be given. */
  file: string
}

const PAUSE_MS = 400

/** A manifest with what is wrong with it, and a place to try changes: they are checked as they are typed, and applied
 *  nowhere. */
export function ManifestEditor({ yaml, namespace, file }: ManifestEditorProps): ReactElement {
  const [draft, setDraft] = useState<string>()
  const [checked, setChecked] = useState(yaml)
  const session = useSession()
  const isOn = session.data?.can.rehearse === true
  const text = draft ?? yaml
  useEffect(() => {
    const timer = setTimeout(() => setChecked(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  const lint = useQuery({
    queryKey: ['lint', namespace, checked],
    queryFn: () => post<readonly LintFinding[]>('/lint', { namespace, manifest: checked }),
    enabled: isOn,
    placeholderData: before => before,
    staleTime: 60_000,
  })
  const findings = lint.data ?? []
  return (
    <div className="manifest">
      <div className="manifest-tools">
        <button
          type="button"
          className="button small"
          aria-pressed={draft !== undefined}
          onClick={() => setDraft(draft === undefined ? yaml : undefined)}
        >
          {draft === undefined ? 'Try a change' : 'Back to what is in the cluster'}
        </button>
        {draft !== undefined && (
          <>
            <button type="button" className="button small" onClick={() => void copy(draft, 'YAML copied')}>
              <Icon name="copy" size={12} /> Copy
            </button>
            <span className="faint">
              Nothing is applied from here. Save it, then <code>kubectl apply -f {file}</code>
            </span>
          </>
        )}
        {isOn && lint.data && text === checked && (
          <Status
            value={
              findings.some(({ severity }) => severity === 'error')
                ? 'failed'
                : findings.length > 0
                  ? 'warning'
                  : 'healthy'
            }
            word={
              findings.length === 0
                ? 'nothing wrong'
                : findings.length === 1
                  ? '1 finding'
                  : `${findings.length} findings`
            }
          />
        )}
      </div>
      {lint.error && <Problem error={lint.error} />}
      {findings.length > 0 && (
        <ul className="findings" aria-label="Findings">
          {findings.map(({ line, message, severity }) => (
            <li key={`${line}-${message}`}>
              <Status value={severity === 'error' ? 'error' : 'warning'} word={severity} />
              <span className="mono">line {line}</span>
              <span>{message}</span>
            </li>
          ))}
        </ul>
      )}
      {draft === undefined ? (
        <Yaml text={yaml} findings={findings} />
      ) : (
        <CodeField label="Manifest" value={draft} findings={findings} onChange={setDraft} />
      )}
    </div>
  )
}

interface CodeFieldProps {
  label: string
  value: string
  rows?: number
  findings?: readonly LintFinding[]
  onChange(value: string): void
}

/** Text with line numbers. */
export function CodeField({ label, value, rows, findings = [], onChange }: CodeFieldProps): ReactElement {
  const gutter = useRef<HTMLDivElement>(null)
  const count = value.split('\n').length
  const marks = new Map(findings.map(({ line, severity }) => [line, severity]))
  return (
    <div className="code-field">
      <div ref={gutter} className="code-gutter" aria-hidden="true">
        {Array.from({ length: count }, (_, i) => (
          <div key={i} className={marks.get(i + 1)}>
            {i + 1}
          </div>
        ))}
      </div>
      <textarea
        aria-label={label}
        rows={rows ?? Math.min(36, Math.max(10, count + 1))}
        spellCheck={false}
        autoCapitalize="off"
        wrap="off"
        value={value}
        onChange={event => onChange(event.target.value)}
        onScroll={event => {
          if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop
        }}
      />
    </div>
  )
}
