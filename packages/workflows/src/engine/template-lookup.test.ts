import { ApiError, type Client } from '@tiphys/kube'
import { expect, test } from 'vitest'
import type { WorkflowTemplate } from '../spec/workflow.ts'
import { TemplateLookup } from './template-lookup.ts'

const template = (name: string) => ({ kind: 'WorkflowTemplate', metadata: { name }, spec: {} }) as WorkflowTemplate
const nothing = { get: () => undefined }

/** A server that has some templates, and what it was asked for. */
function serverWith(...names: string[]) {
  const asked: string[] = []
  const get = async ({ kind, namespace, name }: { kind: string; namespace?: string; name: string }) => {
    asked.push([kind, namespace, name].filter(Boolean).join('/'))
    if (names.includes(name)) return template(name)
    throw new ApiError({
      apiVersion: 'v1',
      kind: 'Status',
      metadata: {},
      status: 'Failure',
      reason: 'NotFound',
      code: 404,
      message: 'not found',
    })
  }
  return { asked, client: { get } as unknown as Pick<Client, 'get'> }
}

test('a template that the cache has not heard of yet is asked for, and one that does not exist is not waited for', async () => {
  const { asked, client } = serverWith('new')
  const lookup = new TemplateLookup({ templates: nothing, clusterTemplates: nothing }, 'team')
  expect([lookup.get('WorkflowTemplate', 'new'), lookup.get('ClusterWorkflowTemplate', 'none')]).toEqual([
    undefined,
    undefined,
  ])
  expect(lookup.isWanting).toBe(true)
  expect(await lookup.ask(client)).toBe(true)
  expect(asked.sort()).toEqual(['ClusterWorkflowTemplate/none', 'WorkflowTemplate/team/new'])
  expect(lookup.get('WorkflowTemplate', 'new')?.metadata.name).toBe('new')
})

test('a template that another new one refers to is asked for as well, and each of them once', async () => {
  const { asked, client } = serverWith('first', 'second')
  const lookup = new TemplateLookup({ templates: nothing, clusterTemplates: nothing }, 'team')
  const plan = () =>
    ['first', 'second', 'none'].every(name => lookup.get('WorkflowTemplate', name) !== undefined || name === 'none')
  let isPlanned = plan()
  while (lookup.isWanting && (await lookup.ask(client))) isPlanned = plan()
  expect(isPlanned).toBe(true)
  expect(asked).toEqual(['first', 'second', 'none'].map(name => `WorkflowTemplate/team/${name}`))
})

test('nothing is asked for that the cache has', () => {
  const lookup = new TemplateLookup({ templates: { get: name => template(name) }, clusterTemplates: nothing }, 'team')
  expect(lookup.get('WorkflowTemplate', 'known')?.metadata.name).toBe('known')
  expect(lookup.isWanting).toBe(false)
})
