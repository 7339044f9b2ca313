import { readdir, readFile } from 'node:fs/promises'

/** A process and all that it started, as the kernel counts them. */
export interface TreeUsage {
  residentBytes: number
  /** Processor time since their start. */
  cpuSeconds: number
}

/** What the kernel counts processor time in. */
const TICKS_PER_SECOND = 100

export async function usageOf(root: number): Promise<TreeUsage> {
  const processes = await readProcesses()
  const members = new Set([root])
  // A child's number is not always higher than its parent's, so once through the list is not enough.
  for (let before = 0; before !== members.size; ) {
    before = members.size
    for (const { pid, parent } of processes) if (members.has(parent)) members.add(pid)
  }
  const own = processes.filter(({ pid }) => members.has(pid))
  if (own.length === 0) throw new Error(`there is no process ${root}`)
  return {
    residentBytes: own.reduce((sum, { residentBytes }) => sum + residentBytes, 0),
    cpuSeconds: own.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND,
  }
}

async function readProcesses() {
  const names = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const all = await Promise.all(names.map(name => readProcess(Number(name)).catch(() => undefined)))
  return all.filter(process => process !== undefined)
}

async function readProcess(pid: number) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  // The name stands in parentheses and may contain anything; what follows it is numbers.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return {
    pid,
    parent: Number(fields[1]),
    ticks: Number(fields[11]) + Number(fields[12]),
    residentBytes: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024,
  }
}
