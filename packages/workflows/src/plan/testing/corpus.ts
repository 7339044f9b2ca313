import { readdir, readFile } from 'node:fs/promises'
import { type KubeObject, readYaml } from '@tiphys/kube'
import type { NodePhase, NodeType, Workflow } from '../../spec/workflow.ts'

/** A run and what has to come of it; the form is described in `corpus/README.md`. */
export interface CorpusCase {
  name: string
  workflow: Workflow
  objects: readonly KubeObject[]
  covers: readonly string[]
  expect: Expectation
  simulate: Readonly<Record<string, SimulatedStep>>
  control: readonly ControlStep[]
  args: Readonly<Record<string, readonly string[]>>
  pods: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  requests: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  actions: Readonly<Record<string, readonly string[]>>
  world: 'simulated' | 'both'
}

export interface Expectation {
  phase: string
  message?: string
  outputs?: { parameters?: Record<string, string> }
  nodes?: Record<string, ExpectedNode>
  absent?: readonly string[]
  complete?: boolean
  logs?: Record<string, string>
}

export interface ExpectedNode {
  type?: NodeType
  phase?: NodePhase
  message?: string
  displayName?: string
  template?: string
  inputs?: Record<string, string>
  outputs?: { result?: string; exitCode?: string; parameters?: Record<string, string>; artifacts?: readonly string[] }
  children?: readonly string[]
}

export interface SimulatedStep {
  phase?: 'Succeeded' | 'Failed' | 'Error' | 'Gone' | 'Running'
  message?: string
  exitCode?: number
  result?: string
  parameters?: Record<string, string>
  artifacts?: readonly string[]
  response?: { statusCode: number; body: string; headers?: Record<string, string[]> }
  transient?: boolean
  isStuck?: boolean
  endsInPeace?: boolean
}

export interface ControlStep {
  at: string
  resume?: Record<string, string>
  shutdown?: 'Stop' | 'Terminate'
  suspend?: boolean
}

const folder = new URL('../../../corpus/', import.meta.url)

/** All cases, by file name. */
export async function loadCorpus(): Promise<CorpusCase[]> {
  const files = (await readdir(folder)).filter(name => name.endsWith('.yaml')).sort()
  return Promise.all(files.map(async file => readCase(file, await readFile(new URL(file, folder), 'utf8'))))
}

async function readCase(file: string, text: string): Promise<CorpusCase> {
  const documents = (await readYaml(text)).map(({ value }) => value as Record<string, unknown>)
  const objects = documents.filter(document => typeof document.kind === 'string') as unknown as KubeObject[]
  const workflow = objects.find(({ kind }) => kind === 'Workflow') as Workflow | undefined
  const notes = documents.find(document => document.kind === undefined) as Partial<CorpusCase> | undefined
  if (workflow === undefined || notes?.expect === undefined)
    throw new Error(`${file} needs a Workflow and a document with expect`)
  return {
    name: file.replace(/\.yaml$/, ''),
    workflow,
    objects: objects.filter(object => object !== workflow),
    covers: notes.covers ?? [],
    expect: notes.expect,
    simulate: notes.simulate ?? {},
    control: notes.control ?? [],
    args: notes.args ?? {},
    pods: notes.pods ?? {},
    requests: notes.requests ?? {},
    actions: notes.actions ?? {},
    world: notes.world ?? 'both',
  }
}
