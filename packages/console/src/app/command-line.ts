/** What can be done on a page, as it is done in a terminal. A test holds these lines against the command itself. */

export const quoted = (text: string): string =>
  /^[\w.:/@,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/** The list with its filter; of a namespace where one is chosen. */
export function listLine(command: 'events' | 'runs', q: string, ns: string): string {
  return `tiphys ${command}${q === '' ? '' : ` ${quoted(q)}`}${ns === '' ? '' : ` -n ${ns}`}`
}

interface SubmittedTemplate {
  kind: string
  namespace: string
  name: string
  values: Readonly<Record<string, string>>
}

export function submitLine({ kind, namespace, name, values }: SubmittedTemplate): string {
  const parameters = Object.entries(values).map(([each, value]) => ` -p ${quoted(`${each}=${value}`)}`)
  return `tiphys submit --from ${kind}/${name} -n ${namespace}${parameters.join('')}`
}

export function fireLine(namespace: string, source: string, entry: string): string {
  return `tiphys fire ${source || 'SOURCE'} ${entry || 'ENTRY'} -n ${namespace || 'NAMESPACE'} --data event.json`
}

export type ReplayMode = 'all' | 'no-run' | 'failed'
interface Replayed {
  query?: string | undefined
  events?: readonly string[] | undefined
  ns?: string
  mode?: ReplayMode
  rate?: number
}

const MODE_FLAGS: Readonly<Record<ReplayMode, string>> = {
  all: '',
  'no-run': ' --mode without-run',
  failed: ' --mode failed',
}
/** More ids than that nobody reads. */
const MOST_IDS = 20

/** A mode chooses among the events of a query: events that are named are sent as they are, so that with a mode they are asked for. */
export function replayLine({ query = '', events, ns = '', mode = 'all', rate = 10 }: Replayed): string {
  const ids = events && (events.length > MOST_IDS ? [...events.slice(0, MOST_IDS), '…'] : events)
  const flags = `${MODE_FLAGS[mode]} --rate ${rate}`
  if (ids) return `tiphys replay ${mode === 'all' ? ids.join(' ') : quoted(`id:${ids.join(',')}`)}${flags}`
  const terms = [query, ns === '' ? '' : `ns:${ns}`].filter(term => term !== '')
  return `tiphys replay ${quoted(terms.join(' '))}${flags}`
}

export function retryParkedLine({ namespace, name, part }: { namespace: string; name: string; part: string }): string {
  return `tiphys retry sensor/${name}/${part} -n ${namespace}`
}

export type RunAction = 'stop' | 'terminate' | 'suspend' | 'resume' | 'retry' | 'resubmit' | 'delete'
interface RunTarget {
  namespace: string
  name: string
}

const PATCHES: Partial<Record<RunAction, string>> = {
  stop: '{"spec":{"shutdown":"Stop"}}',
  terminate: '{"spec":{"shutdown":"Terminate"}}',
  suspend: '{"spec":{"suspend":true}}',
  resume: '{"spec":{"suspend":null}}',
}

/** `from`: the id of the step from which on a run is retried, succeeded ones too. */
export function runLine(action: RunAction, { namespace, name }: RunTarget, from?: string): string {
  const patch = PATCHES[action]
  if (patch !== undefined) return `kubectl patch workflow ${name} -n ${namespace} --type merge -p '${patch}'`
  if (action === 'delete') return `kubectl delete workflow ${name} -n ${namespace}`
  const again = from === undefined ? '' : ` --node id=${quoted(from)} --restart-successful`
  return `tiphys ${action} ${name} -n ${namespace}${again}`
}

export function resumeLine(
  { namespace, name }: RunTarget,
  step: string,
  values: Readonly<Record<string, string>>,
): string {
  const parameters = Object.entries(values).map(([each, value]) => ` -p ${quoted(`${each}=${value}`)}`)
  return `tiphys resume ${name} -n ${namespace} --node ${quoted(`displayName=${step}`)}${parameters.join('')}`
}
