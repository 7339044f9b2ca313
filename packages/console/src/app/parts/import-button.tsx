import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { ActionButton } from '../access.tsx'
import { say } from '../announce.ts'
import { post } from '../request.ts'
import { eventPath, href } from '../url.ts'
import { Dialog } from './dialog.tsx'
import { Problem } from './page.tsx'

interface Imported {
  records: number
  skipped: number
  events: readonly string[]
}

/** Takes in the file that Export has made of a trace, here or elsewhere, and opens it. */
export function ImportButton(): ReactElement {
  const input = useRef<HTMLInputElement>(null)
  const [error, setError] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const [, navigate] = useLocation()
  const client = useQueryClient()
  const take = async (file: File) => {
    setBusy(true)
    try {
      const { records, skipped, events } = await post<Imported>('/actions/import', { lines: await file.text() })
      await client.invalidateQueries()
      say(records === 0 ? 'All of it was there already' : `${records} records taken in, ${skipped} were there already`)
      navigate(events.length === 1 ? href(eventPath(events[0] as string)) : href('/events'))
    } catch (thrown) {
      setError(thrown as Error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <input
        ref={input}
        type="file"
        className="hidden"
        accept=".jsonl,.json,application/json"
        aria-label="A trace that was exported"
        tabIndex={-1}
        onChange={event => {
          const [file] = event.target.files ?? []
          event.target.value = ''
          if (file) void take(file)
        }}
      />
      <ActionButton
        action="import"
        namespace=""
        icon="download"
        blocked={isBusy ? 'A file is being taken in.' : undefined}
        onClick={() => input.current?.click()}
      >
        {isBusy ? 'Importing…' : 'Import'}
      </ActionButton>
      {error && (
        <Dialog title="The file was not taken in" onClose={() => setError(undefined)}>
          <div className="dialog-content">
            <Problem error={error} />
          </div>
        </Dialog>
      )}
    </>
  )
}
