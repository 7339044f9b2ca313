import { useQuery } from '@tanstack/react-query'
import type { Page as ArchivePage, Hit } from '@tiphys/archive'
import { type ReactElement, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { listLine } from '../command-line.ts'
import { Empty, Page, Problem, Skeleton } from '../parts/page.tsx'
import { hitPath } from '../parts/palette.tsx'
import { Time } from '../parts/time.tsx'
import { get } from '../request.ts'
import { useAddress } from '../url.ts'

export default function Search(): ReactElement {
  const { get: read, set } = useAddress()
  const [sought, ns] = [read('text'), read('ns')]
  const [text, setText] = useState(sought)
  useEffect(() => setText(sought), [sought])
  const hits = useQuery({
    queryKey: ['search-page', sought, ns],
    queryFn: ({ signal }) => get<ArchivePage<Hit>>('/search', { text: sought, ns, limit: 100 }, signal),
    enabled: sought !== '',
  })
  return (
    <Page
      title="Search"
      name={`Search${sought && `: ${sought}`}`}
      sub={<span>Names, payloads, messages and logs{ns === '' ? '' : ` of ${ns}`}</span>}
      cli={sought === '' ? [] : [listLine('events', `"${sought.replaceAll('"', ' ')}"`, ns)]}
    >
      <form
        className="search-form"
        onSubmit={event => {
          event.preventDefault()
          set({ text })
        }}
      >
        <input
          type="search"
          aria-label="Words"
          value={text}
          onChange={event => setText(event.target.value)}
          placeholder='words, begin*, "words in order"'
        />
        <button type="submit" className="button primary">
          Search
        </button>
      </form>
      {hits.error && <Problem error={hits.error} />}
      {sought !== '' && !hits.data && !hits.error && <Skeleton />}
      {hits.data?.items.length === 0 && (
        <Empty isOfNamespace title="Nothing was found">
          <p>All words must be there. Try fewer, or a beginning with a star: memc*</p>
        </Empty>
      )}
      <ul className="hits">
        {hits.data?.items.map(hit => (
          <li key={hit.cursor}>
            <span className="tag">{hit.type}</span>
            <div>
              <Link href={hitPath(hit)}>{hit.title}</Link>
              <p className="faint">{inWords(hit.excerpt)}</p>
            </div>
            <Time at={hit.at} />
          </li>
        ))}
      </ul>
    </Page>
  )
}

/** An excerpt is a piece of a record: read without the marks of its notation. */
const inWords = (excerpt: string) =>
  excerpt
    .replaceAll(/[\\"{}[\]]+/g, ' ')
    .replaceAll(/\s+([:,])/g, '$1')
    .replaceAll(/\s{2,}/g, ' ')
