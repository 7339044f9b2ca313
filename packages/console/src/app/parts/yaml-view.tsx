import { useQuery } from '@tanstack/react-query'
import { memo, type ReactElement } from 'react'
import type { LintFinding } from '../../api/workshop.ts'
import { copy } from '../clipboard.ts'
import { get } from '../request.ts'
import { Icon } from './icon.tsx'
import { Empty, Problem, Skeleton } from './page.tsx'
import { yamlTokens } from './yaml-tokens.ts'

export function YamlView({ path }: { path: string }): ReactElement {
  const manifest = useQuery({
    queryKey: ['manifest', path],
    queryFn: ({ signal }) => get<{ yaml: string } | { missing: string }>(path, {}, signal),
  })
  if (manifest.error) return <Problem error={manifest.error} />
  if (!manifest.data) return <Skeleton />
  if ('missing' in manifest.data)
    return (
      <Empty icon="templates" title="No manifest">
        <p>{manifest.data.missing}</p>
      </Empty>
    )
  return <Yaml text={manifest.data.yaml} />
}

/** More lines are shown without colours. */
const MOST_COLOURED = 3000

export function Yaml({ text, findings = [] }: { text: string; findings?: readonly LintFinding[] }): ReactElement {
  return (
    <div className="yaml">
      <button type="button" className="button small" onClick={() => void copy(text, 'YAML copied')}>
        <Icon name="copy" size={12} /> Copy
      </button>
      <Lines text={text} findings={findings} />
    </div>
  )
}

const Lines = memo(({ text, findings }: { text: string; findings: readonly LintFinding[] }): ReactElement => {
  const lines = text.replace(/\n$/, '').split('\n')
  if (lines.length > MOST_COLOURED)
    return (
      <pre tabIndex={0} aria-label="YAML">
        <code>{text}</code>
      </pre>
    )
  const marks = new Map(findings.map(({ line, severity }) => [line, severity]))
  return (
    <pre tabIndex={0} aria-label="YAML" className="numbered">
      <code>
        {lines.map((line, i) => (
          <span key={i} className={`yaml-line ${marks.get(i + 1) ?? ''}`}>
            {yamlTokens(line).map(({ text: piece, kind }, at) =>
              kind === 'plain' ? (
                piece
              ) : (
                <span key={at} className={`yaml-${kind}`}>
                  {piece}
                </span>
              ),
            )}
            {'\n'}
          </span>
        ))}
      </code>
    </pre>
  )
})
Lines.displayName = 'Lines'
