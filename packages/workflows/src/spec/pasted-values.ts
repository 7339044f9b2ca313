import type { KubeObject } from '@tiphys/kube'
import type { Problem } from './problem.ts'
import type { CronWorkflow, Template, WorkflowSpec } from './workflow.ts'

/** What runs a text that it is given, and how such a text reads the environment. */
const INTERPRETERS: readonly { name: RegExp; flag: RegExp; read: (variable: string) => string }[] = [
  { name: /^(ba|da|a|z|k)?sh$/, flag: /^-\w*c$/, read: variable => `"$${variable}"` },
  { name: /^python[\d.]*$/, flag: /^-c$/, read: variable => `os.environ["${variable}"]` },
  { name: /^(node|nodejs|deno|bun)$/, flag: /^(-e|--eval|-p|eval)$/, read: variable => `process.env.${variable}` },
  { name: /^(perl|ruby)$/, flag: /^-e$/, read: variable => `ENV["${variable}"]` },
]

/** Made by the engine: nobody from outside decides what is in them. */
const OURS =
  /^(pod\.name|node\.name|retries|workflow\.(name|namespace|uid|status|duration|serviceAccountName|priority|creationTimestamp)\b.*|.*\.path|.*\.(id|status|startedAt|finishedAt|exitCode|ip|hostNodeName))$/
const TAG = /\{\{\s*(=?)\s*([^}]*?)\s*\}\}/g

/** Where the text of a value becomes part of a program, so that whoever gives the value decides what is run. The message shows
 *  the form in which it stays data. For Workflows, CronWorkflows and templates; nothing for other kinds. */
export function pastedValues(object: KubeObject): Problem[] {
  const found: Problem[] = []
  const { kind } = object
  if (kind === 'CronWorkflow') inSpec((object as CronWorkflow).spec.workflowSpec, 'spec.workflowSpec', found)
  else if (kind === 'Workflow' || kind === 'WorkflowTemplate' || kind === 'ClusterWorkflowTemplate')
    inSpec(object.spec as WorkflowSpec, 'spec', found)
  return found
}

function inSpec(spec: WorkflowSpec | undefined, path: string, found: Problem[]): void {
  for (const [index, template] of (spec?.templates ?? []).entries())
    inTemplate(template, `${path}.templates[${index}]`, found)
  if (spec?.templateDefaults) inTemplate(spec.templateDefaults, `${path}.templateDefaults`, found)
}

interface Program {
  command?: unknown
  args?: unknown
}

function inTemplate(template: Template, path: string, found: Problem[]): void {
  const { script, container, containerSet, steps, dag } = template
  if (script) {
    const [program = ''] = texts(script.command)
    const { read } = INTERPRETERS.find(({ name }) => name.test(baseName(program))) ?? {}
    inText(script.source ?? '', `${path}.script.source`, read, found)
  }
  if (container) inProgram(container, `${path}.container`, found)
  const lists = { 'containerSet.containers': containerSet?.containers, ...passedThrough(template) }
  for (const [name, programs] of Object.entries(lists))
    for (const [index, program] of (programs ?? []).entries()) inProgram(program, `${path}.${name}[${index}]`, found)
  for (const [group, calls] of (steps ?? []).entries())
    for (const [index, { inline }] of (Array.isArray(calls) ? calls : []).entries())
      if (inline) inTemplate(inline, `${path}.steps[${group}][${index}].inline`, found)
  for (const [index, { inline }] of (dag?.tasks ?? []).entries())
    if (inline) inTemplate(inline, `${path}.dag.tasks[${index}].inline`, found)
}

const passedThrough = ({ initContainers, sidecars }: Template) =>
  ({ initContainers, sidecars }) as { initContainers?: Program[]; sidecars?: Program[] }

/** Of `sh -c TEXT …` the text; what comes after it is data. */
function inProgram({ command, args }: Program, path: string, found: Problem[]): void {
  const words = [
    ...texts(command).map((word, index) => ({ word, path: `${path}.command[${index}]` })),
    ...texts(args).map((word, index) => ({ word, path: `${path}.args[${index}]` })),
  ]
  const interpreter = INTERPRETERS.find(({ name }) => name.test(baseName(words[0]?.word ?? '')))
  if (!interpreter) return
  const flag = words.findIndex(({ word }, index) => index > 0 && interpreter.flag.test(word))
  const text = flag < 0 ? undefined : words[flag + 1]
  if (text) inText(text.word, text.path, interpreter.read, found)
}

function inText(text: string, path: string, read: ((variable: string) => string) | undefined, found: Problem[]): void {
  const seen = new Set<string>()
  for (const [tag, isExpression = '', name = ''] of text.matchAll(TAG)) {
    // A parameter that is the whole program is meant to be one.
    if ((isExpression === '' && OURS.test(name)) || seen.has(tag) || text.trim() === tag) continue
    seen.add(tag)
    const variable = variableFor(isExpression === '' ? name : 'value')
    const use = read?.(variable) ?? `the environment variable ${variable}`
    const message = `${tag} becomes part of the program, so that whoever gives the value decides what is run; write env: [{ name: ${variable}, value: "${tag}" }] and use ${use} here`
    found.push({ path, message })
  }
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter(item => typeof item === 'string') : [])
const baseName = (program: string): string => program.split('/').at(-1) ?? ''

/** `inputs.parameters.image-tag` is `IMAGE_TAG`. */
function variableFor(name: string): string {
  const last = name.split('.').at(-1) ?? name
  return (
    last
      .replaceAll(/\W/g, '_')
      .replace(/^(?=\d)/, '_')
      .toUpperCase() || 'VALUE'
  )
}
