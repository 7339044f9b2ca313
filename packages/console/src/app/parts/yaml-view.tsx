import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { copy } from '../clipboard.ts'
import { get } from '../request.ts'
import { Icon } from './icon.tsx'
import { Empty, Problem, Skeleton } from './page.tsx'

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

export function Yaml({ text }: { text: string }): ReactElement {
  return (
    <div className="yaml">
      <button type="button" className="button small" onClick={() => void copy(text, 'YAML copied')}>
        <Icon name="copy" size={12} /> Copy
      </button>
      <pre tabIndex={0} aria-label="YAML">
        <code>{text}</code>
      </pre>
    </div>
  )
}
