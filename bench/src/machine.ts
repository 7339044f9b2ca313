import { spawnSync } from 'node:child_process'
import { cpus, release, totalmem } from 'node:os'
import { tools } from '../../conformance/tools.mjs'

/** Where and with what a run was made. */
export interface Machine {
  processor: string
  cores: number
  memoryGigabytes: number
  kernel: string
  node: string
  go: string
  peers: string
}

export function describeMachine(): Machine {
  const versionOf = (name: string) => tools.find(tool => tool.name === name)?.version ?? ''
  const go = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' })
  return {
    processor: cpus()[0]?.model.trim() ?? '',
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    kernel: `${process.platform} ${release()}`,
    node: process.version,
    go: go.status === 0 ? go.stdout.trim() : '',
    peers: `kube-apiserver ${versionOf('kube-apiserver')}, etcd ${versionOf('etcd')}`,
  }
}

export const formatMachine = (m: Machine): string =>
  `${m.cores} cores (${m.processor}), ${m.memoryGigabytes} GB, ${m.kernel}, Node ${m.node}, ${m.go}, ${m.peers}`
