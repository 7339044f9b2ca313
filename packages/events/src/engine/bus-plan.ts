import { parseDuration } from '@tiphys/expressions/duration'
import { type KubeObject, parseYaml } from '@tiphys/kube'
import type { BusLimits } from '../bus/journal-bus.ts'
import { fieldsOf } from '../fields.ts'
import type { Problem } from '../problem.ts'

/** What an EventBus is to be kept in. */
export type BusPlan =
  /** In a journal of this machine. */
  | { type: 'embedded'; limits: BusLimits }
  /** In a stream of the NATS servers at `url`. */
  | {
      type: 'jetstream'
      url: string
      accessSecret?: { name?: string; key: string }
      replicas: number
      limits: BusLimits
    }
  | { type: 'unsupported'; message: string }

export const DEFAULT_BUS = 'default'

/** The EventBus that an EventSource or a Sensor uses. */
export function busNameOf({ spec }: KubeObject): string {
  const { eventBusName } = (spec ?? {}) as { eventBusName?: unknown }
  return typeof eventBusName === 'string' && eventBusName !== '' ? eventBusName : DEFAULT_BUS
}

interface StreamSettings {
  replicas: number
  limits: BusLimits
}

/** What `spec` of an EventBus asks for. STAN is no longer maintained and the manifests of most still name it: what it and
 *  JetStream were deployed for is done by the embedded journal. */
export async function busPlan(spec: unknown): Promise<{ plan: BusPlan; problems: readonly Problem[] }> {
  const problems: Problem[] = []
  const { nats, jetstream, jetstreamExotic, kafka } = fieldsOf(spec)
  const unsupported = (message: string) => ({ plan: { type: 'unsupported' as const, message }, problems })
  if (jetstreamExotic !== undefined) {
    const { url, accessSecret, streamConfig } = fieldsOf(jetstreamExotic)
    const settings = await settingsOf(streamConfig, 'spec.jetstreamExotic.streamConfig', problems)
    if (typeof url !== 'string' || url === '') return unsupported('spec.jetstreamExotic.url is missing')
    const secret = fieldsOf(accessSecret) as { name?: string; key?: string }
    return {
      plan: {
        type: 'jetstream',
        url,
        ...(secret.key !== undefined && { accessSecret: { ...secret, key: secret.key } }),
        ...settings,
      },
      problems,
    }
  }
  if (jetstream !== undefined) {
    const { limits } = await settingsOf(fieldsOf(jetstream).streamConfig, 'spec.jetstream.streamConfig', problems)
    return { plan: { type: 'embedded', limits }, problems }
  }
  if (fieldsOf(nats).exotic !== undefined)
    return unsupported('STAN servers are not supported by Tiphys: use jetstreamExotic with the url of a NATS server')
  if (nats !== undefined) return { plan: { type: 'embedded', limits: stanLimits(nats, problems) }, problems }
  if (kafka !== undefined)
    return unsupported(
      'kafka is not supported by Tiphys yet: use jetstream, or jetstreamExotic with the url of a NATS server',
    )
  return unsupported('it names no bus: use spec.jetstream, or spec.jetstreamExotic with the url of a NATS server')
}

/** The lines of a stream's settings, as NATS spells them; what Tiphys does not go by is left alone. */
async function settingsOf(config: unknown, path: string, problems: Problem[]): Promise<StreamSettings> {
  const settings = typeof config === 'string' ? await readYaml(config, path, problems) : {}
  const byName = new Map(Object.entries(settings).map(([name, value]) => [name.toLowerCase(), value]))
  const maxEvents = positive(byName.get('maxmsgs'))
  const maxBytes = positive(byName.get('maxbytes'))
  const maxAgeMs = durationOf(byName.get('maxage'), `${path}.maxAge`, problems)
  return {
    replicas: positive(byName.get('replicas')) ?? 1,
    limits: {
      ...(maxEvents !== undefined && { maxEvents }),
      ...(maxBytes !== undefined && { maxBytes }),
      ...(maxAgeMs !== undefined && { maxAgeMs }),
    },
  }
}

function stanLimits(nats: unknown, problems: Problem[]): BusLimits {
  const { maxAge, maxMsgs, maxBytes } = fieldsOf(fieldsOf(nats).native)
  const maxAgeMs = durationOf(maxAge, 'spec.nats.native.maxAge', problems)
  const [maxEvents, bytes] = [positive(maxMsgs), positive(maxBytes)]
  return {
    ...(maxEvents !== undefined && { maxEvents }),
    ...(bytes !== undefined && { maxBytes: bytes }),
    ...(maxAgeMs !== undefined && { maxAgeMs }),
  }
}

async function readYaml(text: string, path: string, problems: Problem[]): Promise<Readonly<Record<string, unknown>>> {
  try {
    return fieldsOf((await parseYaml(text)).value)
  } catch (thrown) {
    problems.push({ path, message: `is not YAML: ${(thrown as Error).message}`, severity: 'warning' })
    return {}
  }
}

function durationOf(value: unknown, path: string, problems: Problem[]): number | undefined {
  if (value === undefined || value === '') return undefined
  try {
    return Number(parseDuration(String(value)) / 1_000_000n) || undefined
  } catch (thrown) {
    problems.push({ path, message: `${(thrown as Error).message}; 168h is used`, severity: 'warning' })
    return undefined
  }
}

/** Nothing, for what NATS takes as "no limit". */
function positive(value: unknown): number | undefined {
  const number = Number(value)
  return Number.isFinite(number) && number > 0 ? number : undefined
}
