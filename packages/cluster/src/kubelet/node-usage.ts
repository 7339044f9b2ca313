import type { Clock } from '@tiphys/env'
import type { Pod } from '@tiphys/kube/kinds'
import type { NodePods } from '../node/node-pods.ts'
import { formatTime } from '../timestamp.ts'

interface Usage {
  cpuNanoseconds: bigint
  memoryBytes: number
}

interface ContainerUsage extends Usage {
  name: string
  startedAt: string | undefined
}

interface PodUsage {
  pod: Pod
  containers: ContainerUsage[]
  total: Usage
}

/** What the node and its pods use, in the forms in which kubelets tell it. The node's usage is that of its pods. */
export class NodeUsage {
  readonly #nodeName: string
  readonly #pods: NodePods
  readonly #clock: Clock
  readonly #startedAt: number
  /** The processor time of the last summary, by what used it: rates are taken between two summaries. */
  #last = new Map<string, { at: number; cpuNanoseconds: bigint }>()

  constructor(nodeName: string, pods: NodePods, clock: Clock) {
    this.#nodeName = nodeName
    this.#pods = pods
    this.#clock = clock
    this.#startedAt = clock.now()
  }

  async summary(): Promise<unknown> {
    const now = this.#clock.now()
    const pods = await this.#measure()
    const next = new Map<string, { at: number; cpuNanoseconds: bigint }>()
    const show = (key: string, usage: Usage) => this.#show(key, usage, now, next)
    const summary = {
      node: {
        nodeName: this.#nodeName,
        startTime: formatTime(this.#startedAt),
        ...show('', sum(pods.map(({ total }) => total))),
      },
      pods: pods.map(({ pod, containers, total }) => ({
        podRef: { name: pod.metadata?.name, namespace: pod.metadata?.namespace, uid: pod.metadata?.uid },
        startTime: pod.status?.startTime,
        containers: containers.map(container => ({
          name: container.name,
          startTime: container.startedAt,
          ...show(`${pod.metadata?.uid}/${container.name}`, container),
        })),
        ...show(`${pod.metadata?.uid}`, total),
      })),
    }
    this.#last = next
    return summary
  }

  async resourceMetrics(): Promise<string> {
    const now = this.#clock.now()
    const pods = await this.#measure()
    const text = new MetricsText(now)
    const eachContainer = pods.flatMap(({ pod, containers }) =>
      containers.map(container => ({ container, labels: { container: container.name, ...podLabels(pod) } })),
    )
    const node = sum(pods.map(({ total }) => total))
    text.metric('container_cpu_usage_seconds_total', 'counter', 'Processor time that a container has used')
    for (const { container, labels } of eachContainer) text.sample(labels, seconds(container.cpuNanoseconds))
    text.metric('container_memory_working_set_bytes', 'gauge', 'Memory that a container uses')
    for (const { container, labels } of eachContainer) text.sample(labels, container.memoryBytes)
    text.metric('container_start_time_seconds', 'gauge', 'When a container started, in Unix time')
    for (const { container, labels } of eachContainer) {
      if (container.startedAt !== undefined) text.sample(labels, Date.parse(container.startedAt) / 1000)
    }
    text.metric('node_cpu_usage_seconds_total', 'counter', 'Processor time that the pods of the node have used')
    text.sample({}, seconds(node.cpuNanoseconds))
    text.metric('node_memory_working_set_bytes', 'gauge', 'Memory that the pods of the node use')
    text.sample({}, node.memoryBytes)
    text.metric('pod_cpu_usage_seconds_total', 'counter', 'Processor time that a pod has used')
    for (const { pod, total } of pods) text.sample(podLabels(pod), seconds(total.cpuNanoseconds))
    text.metric('pod_memory_working_set_bytes', 'gauge', 'Memory that a pod uses')
    for (const { pod, total } of pods) text.sample(podLabels(pod), total.memoryBytes)
    text.metric('resource_scrape_error', 'gauge', '1 when usage could not be read')
    text.sample({}, 0)
    return text.toString()
  }

  metrics(): string {
    const pods = this.#pods.pods()
    const running = pods.flatMap(pod => runningContainers(pod))
    const text = new MetricsText()
    text.metric('kubelet_running_pods', 'gauge', 'Pods with a running container')
    text.sample({}, pods.filter(pod => runningContainers(pod).length > 0).length)
    text.metric('kubelet_running_containers', 'gauge', 'Running containers')
    text.sample({ container_state: 'running' }, running.length)
    text.metric('process_start_time_seconds', 'gauge', 'When the node started, in Unix time')
    text.sample({}, this.#startedAt / 1000)
    return text.toString()
  }

  async #measure(): Promise<PodUsage[]> {
    return Promise.all(
      this.#pods.pods().map(async pod => {
        const containers = (
          await Promise.all(runningContainers(pod).map(each => this.#measureContainer(pod, each)))
        ).filter(found => found !== undefined)
        return { pod, containers, total: sum(containers) }
      }),
    )
  }

  async #measureContainer(
    { metadata }: Pod,
    { name, startedAt }: { name: string; startedAt: string | undefined },
  ): Promise<ContainerUsage | undefined> {
    const ref = { namespace: metadata?.namespace ?? '', pod: metadata?.name ?? '', container: name }
    // A container that ended in the meantime uses nothing.
    const usage = await this.#pods.usage(ref).catch(() => undefined)
    return usage && { name, startedAt, ...usage }
  }

  #show(key: string, usage: Usage, now: number, next: Map<string, { at: number; cpuNanoseconds: bigint }>) {
    const { cpuNanoseconds, memoryBytes } = usage
    const time = formatTime(now)
    const before = this.#last.get(key)
    next.set(key, { at: now, cpuNanoseconds })
    const rate =
      before && now > before.at && cpuNanoseconds >= before.cpuNanoseconds
        ? { usageNanoCores: Math.round((Number(cpuNanoseconds - before.cpuNanoseconds) * 1000) / (now - before.at)) }
        : {}
    return {
      cpu: { time, ...rate, usageCoreNanoSeconds: Number(cpuNanoseconds) },
      memory: { time, usageBytes: memoryBytes, workingSetBytes: memoryBytes, rssBytes: memoryBytes },
    }
  }
}

function runningContainers({ status }: Pod): { name: string; startedAt: string | undefined }[] {
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = status ?? {}
  return [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses]
    .filter(({ state }) => state?.running !== undefined)
    .map(({ name, state }) => ({ name, startedAt: state?.running?.startedAt }))
}

const sum = (usages: readonly Usage[]): Usage => ({
  cpuNanoseconds: usages.reduce((total, { cpuNanoseconds }) => total + cpuNanoseconds, 0n),
  memoryBytes: usages.reduce((total, { memoryBytes }) => total + memoryBytes, 0),
})

const seconds = (nanoseconds: bigint): number => Number(nanoseconds) / 1e9
const podLabels = ({ metadata }: Pod) => ({ namespace: metadata?.namespace ?? '', pod: metadata?.name ?? '' })

/** Metrics in Prometheus' text form. */
class MetricsText {
  readonly #time: string
  #text = ''
  #name = ''

  constructor(time?: number) {
    this.#time = time === undefined ? '' : ` ${time}`
  }

  metric(name: string, type: 'counter' | 'gauge', help: string): void {
    this.#name = name
    this.#text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
  }

  sample(labels: Readonly<Record<string, string>>, value: number): void {
    const pairs = Object.entries(labels).map(([name, text]) => `${name}=${JSON.stringify(text)}`)
    this.#text += `${this.#name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}${this.#time}\n`
  }

  toString(): string {
    return this.#text
  }
}
