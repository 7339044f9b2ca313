import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Page as ArchivePage, ParkedGroup, ParkedItem, Trace } from '@tiphys/archive'
import { Fragment, type ReactElement, useState } from 'react'
import { ActionButton, useSession } from '../access.tsx'
import { say } from '../announce.ts'
import { retryParkedLine } from '../command-line.ts'
import { counted } from '../count.ts'
import { useChanges } from '../live/use-live.ts'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { FilterBar, unknownFields } from '../parts/filter-bar.tsx'
import { FireDialog } from '../parts/fire-dialog.tsx'
import { KeyQueue } from '../parts/key-queue.tsx'
import { LeftOut } from '../parts/left-out.tsx'
import { EventLink, ObjectLink } from '../parts/link.tsx'
import { Empty, Page, Problem, Skeleton } from '../parts/page.tsx'
import { Time } from '../parts/time.tsx'
import { get, getText, post } from '../request.ts'
import { useAddress } from '../url.ts'

interface Chosen {
  action: 'retry' | 'discard'
  items: readonly ParkedItem[]
  count: number
}

const MANY = 100
const LISTED = 200
const PAGE = 1000
/** As many ids as one Retry or Discard takes. */
const MOST_IDS = 10_000

type Selected = { q: string; ns: string; limit: number; after?: string }
const readItems = (fingerprint: string, selected: Selected, signal?: AbortSignal) =>
  get<ArchivePage<ParkedItem>>(`/parked/${encodeURIComponent(fingerprint)}`, selected, signal)

async function readAll(fingerprint: string, selected: Selected): Promise<readonly ParkedItem[]> {
  const items: ParkedItem[] = []
  let after: string | undefined
  do {
    const page = await readItems(fingerprint, { ...selected, ...(after !== undefined && { after }) })
    items.push(...page.items)
    after = page.next
  } while (after !== undefined)
  return items
}

const countOf = (items: readonly ParkedItem[]) => new Set(items.map(({ action }) => action)).size

/** More of them nobody reads. */
const MOST_SHOWN = 20
function idsOf(items: readonly ParkedItem[]): string {
  const ids = [...new Set(items.flatMap(({ events }) => events))]
  return [...ids.slice(0, MOST_SHOWN), ...(ids.length > MOST_SHOWN ? ['…'] : [])].join(', ')
}

const nameOf = ({ object, key, events }: ParkedItem) =>
  object ? `${object.kind} ${object.name}` : (key ?? `event ${events[0]?.slice(0, 8)}`)

export default function Parked(): ReactElement {
  const { get: read, set } = useAddress()
  const [q, ns] = [read('q'), read('ns')]
  const isUnderstood = unknownFields('parked', q).length === 0
  const groups = useQuery({
    queryKey: ['parked', q, ns],
    queryFn: ({ signal }) => get<readonly ParkedGroup[]>('/parked', { q, ns }, signal),
    enabled: isUnderstood,
  })
  // The only group there is need not be looked for.
  const [only, another] = groups.data ?? []
  const group = read('group') || (another ? '' : (only?.fingerprint ?? ''))
  const opened = groups.data?.find(({ fingerprint }) => fingerprint === group)
  useChanges([['parked'], ['parked-items']])
  const [chosen, setChosen] = useState<Chosen>()
  const [edited, setEdited] = useState<ParkedItem>()
  const isAtLeast = groups.data?.some(each => each.isAtLeast) === true
  const total = groups.data?.reduce((sum, { count }) => sum + count, 0) ?? 0
  return (
    <Page
      title="Parked deliveries"
      sub={
        groups.data && (
          <span>
            {total === 0
              ? q === ''
                ? 'Nothing waits for a person'
                : 'Nothing that matches waits for a person'
              : `${isAtLeast ? 'at least ' : ''}${total.toLocaleString('en')} in ${counted(groups.data.length, 'group')}, by how they failed`}
          </span>
        )
      }
      cli={[...(opened ? [retryParkedLine(opened.trigger)] : []), 'kubectl get retries,discards -A']}
    >
      <FilterBar
        of="parked"
        value={q}
        problem={q === '' ? undefined : groups.error?.message}
        onChange={next => set({ q: next })}
        placeholder="Filter: sensor:memcached kind:Deployment age:<1d"
      />
      {groups.error && q === '' && <Problem error={groups.error} />}
      {isUnderstood && !groups.data && !groups.error && <Skeleton rows={5} />}
      {groups.data?.length === 0 && q !== '' && (
        <Empty icon="parked" isOfNamespace title="No parked delivery matches">
          <button type="button" className="button" onClick={() => set({ q: '' })}>
            Clear the filter
          </button>
        </Empty>
      )}
      {groups.data?.length === 0 && <LeftOut />}
      {groups.data?.length === 0 && q === '' && (
        <Empty icon="parked" isOfNamespace title="Nothing is parked">
          <p>
            A delivery that fails for good is kept here with its event, until somebody retries or discards it. Nothing
            is lost silently.
          </p>
        </Empty>
      )}
      <ul className="parked-groups">
        {groups.data?.map(each => (
          <li key={each.fingerprint} className="card">
            <button
              type="button"
              className="parked-head"
              aria-expanded={group === each.fingerprint}
              onClick={() => set({ group: group === each.fingerprint ? 'none' : each.fingerprint }, { replace: true })}
            >
              <span className="count">
                {each.count.toLocaleString('en')}
                {each.isAtLeast && <span title="Only the newest were counted">+</span>}
              </span>
              <span className="parked-text">
                <span className="parked-message">{each.message ?? each.reason ?? 'no message'}</span>
                <span className="faint">
                  {each.trigger.namespace}/{each.trigger.name} · {each.trigger.part}
                  {each.reason !== undefined ? ` · ${each.reason}` : ''}
                </span>
              </span>
              <span className="parked-times faint">
                first <Time at={each.firstAt} /> · last <Time at={each.lastAt} />
              </span>
            </button>
            {group === each.fingerprint && <Items group={each} q={q} ns={ns} onAct={setChosen} onEdit={setEdited} />}
          </li>
        ))}
      </ul>
      {chosen && <ParkedDialog chosen={chosen} onClose={() => setChosen(undefined)} />}
      {edited && <EditDialog item={edited} onClose={() => setEdited(undefined)} />}
    </Page>
  )
}

interface ItemsProps {
  group: ParkedGroup
  q: string
  ns: string
  onAct(chosen: Chosen): void
  onEdit(item: ParkedItem): void
}

function Items({ group, q, ns, onAct, onEdit }: ItemsProps): ReactElement {
  const session = useSession()
  const [queue, setQueue] = useState<string>()
  const [isReading, setReading] = useState(false)
  const [problem, setProblem] = useState<Error>()
  const items = useQuery({
    queryKey: ['parked-items', group.fingerprint, q, ns],
    queryFn: ({ signal }) => readItems(group.fingerprint, { q, ns, limit: LISTED }, signal),
  })
  if (items.error) return <Problem error={items.error} />
  if (!items.data) return <Skeleton rows={3} />
  const { namespace } = group.trigger
  const shown = items.data.items
  const isMore = items.data.next !== undefined
  // What is said before is what is done: of a large group all is read first.
  const all = async (action: Chosen['action']) => {
    setReading(true)
    try {
      const meant = isMore ? await readAll(group.fingerprint, { q, ns, limit: PAGE }) : shown
      onAct({ action, items: meant, count: countOf(meant) })
    } catch (thrown) {
      setProblem(thrown as Error)
    } finally {
      setReading(false)
    }
  }
  // Of a large group only the newest were counted; how many they are stands in the dialog.
  const count = !isMore ? countOf(shown) : group.isAtLeast ? '' : group.count
  return (
    <>
      {problem && <Problem error={problem} />}
      <div className="parked-actions">
        <ActionButton
          action="retry-parked"
          namespace={namespace}
          icon="replay"
          kind="primary"
          blocked={isReading ? 'They are being counted.' : undefined}
          onClick={() => void all('retry')}
        >
          Retry all {count}
        </ActionButton>
        <ActionButton
          action="discard"
          namespace={namespace}
          icon="trash"
          kind="danger"
          blocked={isReading ? 'They are being counted.' : undefined}
          onClick={() => void all('discard')}
        >
          Discard all {count}
        </ActionButton>
      </div>
      <div className="scroll-area">
        <table className="plain stacks">
          <caption className="hidden">Deliveries of the group</caption>
          <thead>
            <tr>
              <th scope="col">Object</th>
              <th scope="col">Event</th>
              <th scope="col" className="number">
                Attempts
              </th>
              <th scope="col">Message</th>
              <th scope="col">Parked</th>
              <th scope="col">
                <span className="hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(item => (
              <Fragment key={item.action}>
                <tr>
                  <th scope="row">
                    {item.object ? (
                      <ObjectLink object={item.object} />
                    ) : (
                      (item.key ?? <span className="faint">none</span>)
                    )}
                  </th>
                  <td>
                    {item.events[0] !== undefined && <EventLink id={item.events[0]} />}
                    {item.events.length > 1 && <span className="faint"> and {item.events.length - 1} more</span>}
                  </td>
                  <td className="number" data-label="attempts">
                    {item.attempt ?? 1}
                  </td>
                  <td className="message-cell">
                    {item.message === group.message ? (
                      <span className="faint">as above</span>
                    ) : (
                      (item.message ?? item.reason)
                    )}
                  </td>
                  <td>
                    <Time at={item.at} />
                  </td>
                  <td className="row-actions">
                    {item.key !== undefined && (
                      <button
                        type="button"
                        className="button quiet"
                        aria-expanded={queue === item.action}
                        onClick={() => setQueue(queue === item.action ? undefined : item.action)}
                      >
                        Queue behind it
                      </button>
                    )}
                    <ActionButton
                      action="retry-parked"
                      namespace={namespace}
                      kind="quiet"
                      onClick={() => onAct({ action: 'retry', items: [item], count: 1 })}
                    >
                      Retry
                    </ActionButton>
                    <ActionButton
                      action="fire"
                      namespace={namespace}
                      kind="quiet"
                      blocked={
                        session.data?.can.fire === false ? 'No event engine runs beside this console.' : undefined
                      }
                      onClick={() => onEdit(item)}
                    >
                      Edit and retry
                    </ActionButton>
                    <ActionButton
                      action="discard"
                      namespace={namespace}
                      kind="quiet"
                      onClick={() => onAct({ action: 'discard', items: [item], count: 1 })}
                    >
                      Discard
                    </ActionButton>
                  </td>
                </tr>
                {queue === item.action && item.key !== undefined && (
                  <tr>
                    <td colSpan={6}>
                      <KeyQueue item={{ ...item, key: item.key }} />
                    </td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
      {isMore && (
        <p className="faint parked-more">
          The newest {shown.length.toLocaleString('en')} are listed; all are acted on.
        </p>
      )}
    </>
  )
}

function ParkedDialog({
  chosen: { action, items, count },
  onClose,
}: {
  chosen: Chosen
  onClose(): void
}): ReactElement {
  const [reason, setReason] = useState('')
  const client = useQueryClient()
  const [first] = items
  const isDiscard = action === 'discard'
  const verb = `${isDiscard ? 'Discard' : 'Retry'} ${count} deliver${count === 1 ? 'y' : 'ies'}`
  const confirm = async () => {
    if (!first) return
    const { namespace, name: sensor, part: trigger } = first.trigger
    const events = [...new Set(items.flatMap(item => item.events))]
    for (let at = 0; at < events.length; at += MOST_IDS) {
      const part = events.slice(at, at + MOST_IDS)
      await post(`/actions/${action}`, { namespace, sensor, trigger, events: part, ...(isDiscard && { reason }) })
    }
    await client.invalidateQueries()
    say(`${verb}: asked for`)
  }
  return (
    <Confirm
      title={isDiscard ? 'Discard parked deliveries' : 'Retry parked deliveries'}
      verb={verb}
      isDangerous={isDiscard}
      isDisabled={isDiscard && reason.trim() === ''}
      typed={count > MANY ? `${action} ${count}` : undefined}
      cli={`kubectl create -f - <<EOF
apiVersion: tiphys.dev/v1alpha1
kind: ${isDiscard ? 'Discard' : 'Retry'}
metadata: {generateName: console-, namespace: ${first?.trigger.namespace}}
spec: {sensor: ${first?.trigger.name}, trigger: ${first?.trigger.part}${isDiscard ? `, reason: ${JSON.stringify(reason)}` : ''}, events: [${idsOf(items)}]}
EOF`}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        {isDiscard
          ? 'They end without an effect. The events and this decision stay in the archive.'
          : 'Each is tried again with the key it had, so that what was done already is not done twice.'}
      </p>
      <ul className="sample" tabIndex={0}>
        {items.slice(0, 6).map(item => (
          <li key={item.action}>
            <span>{nameOf(item)}</span>
            <Time at={item.at} />
          </li>
        ))}
        {count > 6 && <li className="faint">and {count - 6} more</li>}
      </ul>
      {isDiscard && (
        <label className="field">
          <span>Why is nothing to be done?</span>
          <input type="text" value={reason} maxLength={1000} onChange={event => setReason(event.target.value)} />
        </label>
      )}
    </Confirm>
  )
}

/** The event is sent anew with another payload; the parked one is discarded and says why. */
function EditDialog({ item, onClose }: { item: ParkedItem; onClose(): void }): ReactElement {
  const [id = ''] = item.events
  const client = useQueryClient()
  const trace = useQuery({
    queryKey: ['event', id],
    queryFn: ({ signal }) => get<Trace>(`/events/${encodeURIComponent(id)}`, {}, signal),
  })
  const event = trace.data?.event
  // The body of a trace has numbers with some 16 digits.
  const payload = useQuery({
    queryKey: ['payload', id],
    queryFn: ({ signal }) => getText(`/events/${encodeURIComponent(id)}/payload`, signal),
    enabled: event?.body !== undefined,
  })
  const error = trace.error ?? payload.error
  if (event?.body === undefined || payload.data === undefined)
    return (
      <Dialog title="Edit and send again" onClose={onClose}>
        <div className="dialog-content">
          {error ? (
            <Problem error={error} />
          ) : !trace.data || event?.body !== undefined ? (
            <Skeleton rows={4} />
          ) : (
            <p>
              {event?.isBodyCut
                ? 'Its payload is too large to be edited here. '
                : 'The archive no longer has its payload, so there is nothing to edit. '}
              Retry sends it as the bus has it.
            </p>
          )}
        </div>
      </Dialog>
    )
  const { namespace, name: sensor, part: trigger } = item.trigger
  return (
    <FireDialog
      ns={namespace}
      source={event.source}
      payload={payload.data}
      onClose={onClose}
      onSent={async () => {
        await post('/actions/discard', {
          namespace,
          sensor,
          trigger,
          events: [id],
          reason: 'sent again with another payload',
        })
        await client.invalidateQueries()
      }}
    />
  )
}
